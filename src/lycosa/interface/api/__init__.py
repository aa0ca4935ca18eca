"""The HTTP API: everything the pages do, for programs; declared call by call, described by OpenAPI."""
