"""Report: results by name, slice and key, required values, and the tables that are printed."""
