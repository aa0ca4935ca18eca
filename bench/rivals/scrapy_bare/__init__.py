"""Scrapy without all that can be left out, links by a regular expression."""
