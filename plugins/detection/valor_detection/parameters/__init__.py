"""Parameters of the metrics, readers and pictures of detection, made where they are used."""
