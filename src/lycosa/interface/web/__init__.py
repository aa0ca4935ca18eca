"""What people see in the browser: search, crawls, and the server that answers."""
