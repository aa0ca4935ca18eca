"""How promising is a link? Our own strategies, one module each, and their parts."""
