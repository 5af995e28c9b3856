"""Parameters of the readers of classification data."""
