"""Getting pages: politely resolved, guarded and bounded."""
