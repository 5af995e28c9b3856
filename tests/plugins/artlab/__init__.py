"""A stranger's gallery: draws text items, the longer the worse."""
