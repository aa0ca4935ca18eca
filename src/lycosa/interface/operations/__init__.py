"""What can be asked or done? One typed function each, for all interfaces."""
