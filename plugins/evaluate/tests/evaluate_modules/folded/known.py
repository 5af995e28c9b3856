"""Words that are known."""

KNOWN = frozenset({"the", "cat", "sat"})
