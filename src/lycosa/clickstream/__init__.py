"""What people do: server logs, the beacon and its collector, sessions, behaviour."""
