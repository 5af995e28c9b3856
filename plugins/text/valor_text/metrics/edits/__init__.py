"""Metrics of the edits that make one text of another."""
