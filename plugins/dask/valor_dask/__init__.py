"""The engine on a Dask cluster: partitions are counted and merged on many machines."""
