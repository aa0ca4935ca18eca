"""Together: the agent, its commit, and how several agents share a crawl."""
