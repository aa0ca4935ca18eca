"""How are the beacon's events received? Start with `server`."""
