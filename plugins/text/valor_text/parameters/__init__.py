"""Parameters of the text metrics and readers."""
