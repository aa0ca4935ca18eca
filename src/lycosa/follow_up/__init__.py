"""The results were not enough: how does the crawl go on?"""
