"""Metrics of edit operations between response and reference."""
