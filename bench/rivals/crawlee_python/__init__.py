"""Crawlee for Python with its Parsel crawler."""
