"""Readers of the benchmark's data sets and of responses from anywhere."""
