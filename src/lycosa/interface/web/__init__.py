"""What does the browser show? Translates operations and views into HTML."""
