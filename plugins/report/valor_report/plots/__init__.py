"""Figures of results: their descriptions, and drawings of these as SVG and with matplotlib."""
