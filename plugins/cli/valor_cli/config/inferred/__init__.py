"""Configs inferred from data files, and errors about files that no reader recognizes."""
