"""Find it again: the full-text index over what was crawled."""
