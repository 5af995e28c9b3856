"""Labels that look alike: two spellings of what is probably one label."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Set

from valor_core.schemas.label import Label
from valor_core.schemas.order import is_numeral, natural

_JOINERS = "\u200c\u200d"  # which change words of some scripts, and emoji
_SELECTORS = range(0xFE00, 0xFE10)  # of a glyph's style
_SEPARATORS = re.compile(r"(?<=[^\W_])[-_ ]+(?=[^\W_])")


def look_alikes(true: Set[Label], predicted: Set[Label]) -> list[tuple[Label, Label]]:
    """Return pairs of labels that are probably one: the label to rename and its new name.

    Labels that differ only in surrounding white space, in invisible characters or in their Unicode
    form are always a pair. Labels that differ in case, in separators or in the spelling of a number
    are a pair if one of them is missing on the side of the other. A difference in case is meant if
    two labels with such a difference are both on both sides, as the letters of an alphabet are.

    Parameters
    ----------
    true, predicted : set of Label
        The labels of each side.

    Examples
    --------
    >>> def labels(*names):
    ...     return {Label("class", name) for name in names}
    >>> [(one.value, other.value) for one, other in look_alikes(labels("1.0"), labels("1"))]
    [('1.0', '1')]
    >>> look_alikes(labels("a", "A"), labels("a", "A"))
    []
    """
    # labels that are on both sides can only be pairs of the first kind
    groups = _groups(true | predicted, printed if true == predicted else _folded)
    both = true & predicted
    case_is_meant = any(_differ_in_case(group & both) for group in groups)

    def oddness(label: Label) -> tuple[bool, bool, int, bool, Label]:
        is_clean = printed(label.value) == label.value
        return label not in both, not is_clean, len(label.value), label not in true, label

    def is_pair(label: Label, kept: Label, group: set[Label]) -> bool:
        if len({(printed(one.key), printed(one.value)) for one in (label, kept)}) == 1:
            return True
        lacking = [side for side in (true, predicted) if label not in side]
        if all(side.isdisjoint(group) for side in lacking):
            return False
        if not _differ_in_case({label, kept}):
            return True
        are_on_one_side = any(label in side and kept in side for side in (true, predicted))
        return not (case_is_meant or (are_on_one_side and len(label.value) == 1))

    found = []
    for group in groups:
        kept = min(group, key=oddness)
        found += [(label, kept) for label in group - {kept} if is_pair(label, kept, group)]
    return sorted(found)


def _groups(labels: Set[Label], alike: Callable[[str], Hashable]) -> list[set[Label]]:
    """Groups of two or more labels whose keys and values are alike."""
    groups: dict[Hashable, set[Label]] = defaultdict(set)
    for label in labels:
        groups[alike(label.key), alike(label.value)].add(label)
    return [group for group in groups.values() if len(group) > 1]


def _differ_in_case(labels: Set[Label]) -> bool:
    """Whether two of some labels differ in case alone."""
    written = {(printed(label.key), printed(label.value)) for label in labels}
    return len({(key.casefold(), value.casefold()) for key, value in written}) < len(written)


def printed(text: str) -> str:
    r"""The text as it prints: composed, without invisible characters, single spaces inside.

    Examples
    --------
    >>> printed(" hot \u200b dog\ufeff\u00a0"), len(printed("e\u0301"))
    ('hot dog', 1)
    """
    if not text.isascii():
        import unicodedata

        text = "".join(
            character
            for character in unicodedata.normalize("NFC", text)
            if character in _JOINERS
            or not (unicodedata.category(character) == "Cf" or ord(character) in _SELECTORS)
        )
    return " ".join(text.split())


def _folded(text: str) -> Hashable:
    """What the spellings of one label share: letters without case, or a number.

    Examples
    --------
    >>> _folded("Hot_Dog") == _folded("hot dog"), _folded("01") == _folded("1.0")
    (True, True)
    >>> _folded("-1") == _folded("1")
    False
    """
    text = printed(text)
    if not text.isascii():
        import unicodedata

        text = "".join(c for c in unicodedata.normalize("NFKC", text) if c not in _JOINERS)
    if is_numeral(text):
        return natural(text)[1]
    return _SEPARATORS.sub(" ", text.casefold())
