"""KnownWords."""

from valor_core import Undefined


def score(item, parameters, resources):
    """Share of words in the dictionary."""
    words = (item.response or "").split()
    if not words:
        return Undefined("no words")
    return sum(resources["dictionary"].has(word) for word in words) / len(words)
