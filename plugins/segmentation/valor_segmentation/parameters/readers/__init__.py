"""Parameters of the readers of segmentation data."""
