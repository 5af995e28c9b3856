"""Scripts of modules: found, and executed once that is allowed."""
