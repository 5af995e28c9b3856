"""Plugin with a gallery of text items, in which each letter after the second is an error."""
