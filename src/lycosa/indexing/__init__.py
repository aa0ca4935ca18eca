"""How do search index, templates and ranking signals keep up with a crawl?"""
