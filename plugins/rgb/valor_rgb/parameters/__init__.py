"""Parameters of the metrics and readers of the RGB family."""
