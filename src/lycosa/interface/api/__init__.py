"""How do programs call Lycosa? Translates HTTP and JSON into operations and decides nothing."""
