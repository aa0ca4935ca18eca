"""Which strategy is better? Comparisons on webs with known labels."""
