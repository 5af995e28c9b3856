"""Calibration: a judge against human labels, and means corrected by what that shows."""
