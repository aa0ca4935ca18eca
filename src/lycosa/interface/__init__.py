"""People: the command line and the pages in the browser."""
