"""How do server logs become visits and page totals (C8)? Start with `log_import`."""
