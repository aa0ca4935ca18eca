"""Who links to whom: the growing graph of pages, and what it says about their rank."""
