"""Metrics: functions that ask the judge about one item."""
