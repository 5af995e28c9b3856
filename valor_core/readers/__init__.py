"""Readers: where data come from; sources in memory, and plain tables."""
