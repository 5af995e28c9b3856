"""HTTP transport to one endpoint, and the meaning of its faults."""
