"""Nvidia's metrics: the same rating asked for twice, in two wordings."""
