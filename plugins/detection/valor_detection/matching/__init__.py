"""Matching of predictions to ground truths, and what metrics read from it."""
