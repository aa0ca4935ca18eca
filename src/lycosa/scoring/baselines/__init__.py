"""Strategies of others, to compare with: one module each, and what they share."""
