"""Plugins: what they declare, and the registry that finds it by name."""
