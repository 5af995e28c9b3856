"""Comparison of reports: paired tests, corrections, and ranks."""
