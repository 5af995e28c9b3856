"""Metrics of the words and characters that texts have in common."""
