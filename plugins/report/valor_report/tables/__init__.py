"""Results as tables of text."""
