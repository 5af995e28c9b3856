"""Spending: what calls take, and what they may take in all."""
