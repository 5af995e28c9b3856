"""Inputs: what a module computes from, read from fields of items."""
