"""Keep it: the archive (WARC), the agent's store (LMDB), the catalogue (journal and Parquet)."""
