"""Items: metrics that score one item at a time, also while they wait."""
