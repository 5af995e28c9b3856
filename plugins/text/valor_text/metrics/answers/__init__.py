"""Metrics of answers that are right or wrong: words, numbers, JSON, recorded attempts."""
