"""Tables: results as tables of text."""
