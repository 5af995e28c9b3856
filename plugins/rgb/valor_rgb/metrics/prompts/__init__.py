"""Prompts of the judged variants, one file for each step, by language."""
