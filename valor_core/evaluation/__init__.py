"""Evaluation: from chosen metrics and data to a report."""
