"""What do we compare with? Published strategies, one module each, and their parts."""
