"""How good: scores for pages and links, one module per strategy."""
