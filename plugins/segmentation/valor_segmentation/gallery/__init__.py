"""Gallery of segmentation: label images beside their predictions."""
