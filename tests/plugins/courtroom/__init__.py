"""Plugin with a slow judge in a separate process, and metrics that wait for it."""
