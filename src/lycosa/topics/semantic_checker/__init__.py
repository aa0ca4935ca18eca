"""What does the taxonomy lack? It proposes, a person decides (C4)."""
