"""Gallery of responses and references with marked differences."""
