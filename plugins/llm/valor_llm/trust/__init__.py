"""Reliability of a judge's scores."""
