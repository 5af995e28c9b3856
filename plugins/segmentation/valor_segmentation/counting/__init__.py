"""States of segmentation: pixels, segments and edges by label."""
