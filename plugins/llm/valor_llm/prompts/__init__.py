"""Prompts: one file for each step, with a version and examples."""
