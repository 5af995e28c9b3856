"""Parameters of the metrics, readers and gallery of detection."""
