"""Scrapy as its documentation shows it."""
