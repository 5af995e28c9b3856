"""Parameters of metrics, of the judge and of its clients."""
