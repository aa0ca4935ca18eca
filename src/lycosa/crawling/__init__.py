"""What does one agent do with a page? Read `agent` first, then `commit`."""
