"""Metrics: what one is made of: states, results, rows of items, exact sums."""
