"""Readers of segmentation data: one module for each format."""
