"""Engine that evaluates partitions on a Dask cluster."""
