"""JSON Schema of configs, with which editors complete and check them."""
