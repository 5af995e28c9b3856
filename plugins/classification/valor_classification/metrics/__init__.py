"""Metrics of classification: formulas over the counts of `valor_classification.counting`."""
