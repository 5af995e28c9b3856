"""Conversion, overlaps and validity of shapes."""
