"""What we look for: topics and how well a text fits them."""
