"""Near-duplicates by datasketch's MinHashLSH, in an environment of its own."""
