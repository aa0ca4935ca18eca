"""Scrapy with all that its settings and Python give, and that still reads HTML as HTML."""
