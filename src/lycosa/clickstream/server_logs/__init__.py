"""Server logs: read in blocks, cut into sessions, counted once (C8). Start with `log_import`."""
