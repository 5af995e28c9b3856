"""Gallery of segmentation: label images and their predictions."""
