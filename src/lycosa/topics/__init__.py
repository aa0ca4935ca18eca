"""What is the crawl looking for, and how well does a text fit it?"""
