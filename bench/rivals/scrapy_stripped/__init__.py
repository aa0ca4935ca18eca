"""Scrapy made as fast as its settings allow."""
