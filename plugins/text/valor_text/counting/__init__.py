"""Pairs of texts, what they have in common, and sums over a corpus."""
