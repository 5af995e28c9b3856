"""Readers of classification data, each for one layout of tables."""
