"""Lycosa: a focused web crawler with its own search engine."""

__version__ = "0.1.0"
