"""Parameters of the metrics, readers and pictures of classification, made where they are used."""
