"""Calibration of a judge with human labels, and corrected means."""
