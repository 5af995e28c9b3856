"""Metrics of segmentation: formulas over the counts of `valor_segmentation.counting`."""
