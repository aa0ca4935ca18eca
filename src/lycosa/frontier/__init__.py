"""Which link next: queues per site, politeness, admission, ceilings."""
