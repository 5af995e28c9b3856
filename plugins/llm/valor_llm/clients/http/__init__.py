"""HTTP: one exchange with an endpoint, and what its faults mean."""
