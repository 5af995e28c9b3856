"""Tests of the classification plugin."""
