"""A stranger's plugin: metrics of response lengths and a reader whose partitions can misbehave."""
