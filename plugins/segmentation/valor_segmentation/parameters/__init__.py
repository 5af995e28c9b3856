"""Parameters of the metrics, readers and pictures of segmentation, made where they are used."""
