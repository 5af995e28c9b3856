"""Slices by ranges of numbers, the worst slices, and differences between slices."""
