"""A judge in a process of its own, which takes its time, and metrics that wait for it."""
