"""Readers of texts."""
