"""The bridge to `evaluate`, both ways."""
