"""Texts, tokens and pairs as columns, and what metrics count in them."""
