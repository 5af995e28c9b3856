"""Plugin with metrics of response lengths and a reader whose partitions can fail."""
