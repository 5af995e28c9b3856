"""Judged variants: a language model says whether a response refuses or notices false documents."""
