"""A plugin for tests: per-item text metrics, one of them with a resource."""
