"""Readers of detection data: one module for each format."""
