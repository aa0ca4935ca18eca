"""Understand it: what a fetched document says and where it points."""
