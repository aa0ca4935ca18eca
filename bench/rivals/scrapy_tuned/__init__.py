"""Scrapy tuned by hand as its documentation advises for broad crawls; it still reads HTML as HTML."""
