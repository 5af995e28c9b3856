"""Metrics, each a function that asks the judge about one item."""
