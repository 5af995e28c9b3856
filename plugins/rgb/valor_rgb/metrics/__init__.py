"""Metrics of the four abilities, and the verdicts on single responses that they read."""
