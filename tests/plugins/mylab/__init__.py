"""Plugin with per-item text metrics, one of them with a resource."""
