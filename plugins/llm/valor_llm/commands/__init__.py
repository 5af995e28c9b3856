"""Subcommands of ``valor judge``."""
