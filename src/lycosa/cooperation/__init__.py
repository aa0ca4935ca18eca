"""How do several agents share one crawl?"""
