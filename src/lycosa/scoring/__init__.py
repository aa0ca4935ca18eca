"""How good is a page or a link? The modules here are what all scorers share."""
