"""Viewer of a report in the browser: its page, items, pictures and thresholds, from loopback."""
