"""Parameters of the readers of detection data."""
