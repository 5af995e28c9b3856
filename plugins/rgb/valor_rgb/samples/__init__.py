"""Samples of the benchmark: items that people type, and the columns that metrics read."""
