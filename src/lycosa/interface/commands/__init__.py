"""What can be typed? One module per command; it translates and decides nothing."""
