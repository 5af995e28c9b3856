"""Engines: where partitions are counted: here, in threads, in processes, or in a plugin."""
