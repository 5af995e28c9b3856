"""Metrics of detection: formulas over the matches of `valor_detection.matching`."""
