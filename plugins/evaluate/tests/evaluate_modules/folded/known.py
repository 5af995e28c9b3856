"""List of words."""

KNOWN = frozenset({"the", "cat", "sat"})
