"""Metrics of correct and incorrect answers: words, numbers, JSON, recorded attempts."""
