"""Comparing strategies: webs with labels, trials over them, measures, reports."""
