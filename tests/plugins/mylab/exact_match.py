"""ExactMatch."""

from valor_core import Failed, ItemScore, Undefined


def score(item, parameters, resources):
    """Score 1 if the response is one of the references."""
    if not item.references:
        return Undefined("no references")
    if item.response == "unreadable":
        raise ValueError("the reply cannot be read")
    if item.response is None:
        return Failed("no reply")
    fold = str.casefold if parameters.ignore_case else str
    found = [text for text in item.references if fold(text) == fold(item.response)]
    return ItemScore(float(bool(found)), {"found": found})
