"""The metrics of the text family."""
