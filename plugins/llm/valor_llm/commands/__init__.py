"""Commands: what ``valor judge`` does, one module for each."""
