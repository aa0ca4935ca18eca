"""What can be typed: one module for each group of commands."""
