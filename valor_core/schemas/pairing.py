"""Detect ground truths and predictions that were not paired, by item or by label.

Different spellings of a uid or a label make predictions wrong without an error. A report warns if
no item or no label has both sides, and if labels look alike.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence, Set

import numpy as np
from attrs import define, field

from valor_core.errors import and_more
from valor_core.schemas.columns import Codes, is_numeral, natural
from valor_core.schemas.label import DEFAULT_KEY, Label

_JOINERS = "\u200c\u200d"  # which change emoji and words of some scripts
_SELECTORS = range(0xFE00, 0xFE10)  # variation selectors, which only change the style
_SEPARATORS = re.compile(r"(?<=[^\W_])[-_ ]+(?=[^\W_])")


def look_alikes(true: Set[Label], predicted: Set[Label]) -> list[tuple[Label, Label]]:
    """Return pairs of labels that are probably the same: the label to rename, and its new name.

    Labels that differ only in surrounding white space, in invisible characters or in their Unicode
    form are always a pair. Labels that differ in case, in separators or in the spelling of a number
    are a pair if one of them is missing on the side of the other. A difference in case is intended
    if both spellings are on both sides, like letters of an alphabet.

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
    # If all labels have both sides, only pairs of the first kind are possible.
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
    """Return groups of two or more labels with equivalent keys and values."""
    groups: dict[Hashable, set[Label]] = defaultdict(set)
    keys = {key: alike(key) for key in {label.key for label in labels}}
    for label in labels:
        groups[keys[label.key], alike(label.value)].add(label)
    return [group for group in groups.values() if len(group) > 1]


def _differ_in_case(labels: Set[Label]) -> bool:
    """Return whether two of the labels differ only in case."""
    written = {(printed(label.key), printed(label.value)) for label in labels}
    return len({(key.casefold(), value.casefold()) for key, value in written}) < len(written)


def printed(text: str) -> str:
    r"""Return the text as printed: composed, without invisible characters, single spaces inside.

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
    """Return a key shared by all spellings of a label: casefolded text, or a number.

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


_FEW = 64  # datums to compare first; usually one of them has both sides
_HEAD = 1024  # codes to search first; they usually contain all labels
_NAMED = 3  # labels of a side listed in a message

BOTH = "both"
"""Side of a datum with ground truths and predictions."""


def sides_of(truths: Codes, predictions: Codes) -> set[str]:
    """Return the sides of the datums, or `BOTH` if a datum has ground truths and predictions.

    Parameters
    ----------
    truths, predictions : ndarray of int64
        Ascending positions of the datums that have a ground truth, and a prediction.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(sides_of(np.array([0, 2]), np.array([1])))
    ['groundtruths', 'predictions']
    >>> sides_of(np.array([0, 2]), np.array([2]))
    {'both'}
    """
    if not len(truths) or not len(predictions):
        named = (("groundtruths", truths), ("predictions", predictions))
        return {name for name, side in named if len(side)}
    for datums in (truths[:_FEW], truths[_FEW:]):
        rows = np.minimum(np.searchsorted(predictions, datums), len(predictions) - 1)
        if (predictions[rows] == datums).any():
            return {BOTH}
    return {"groundtruths", "predictions"}


@define(repr=False)
class LabelSides:
    """Labels of ground truths and labels of predictions.

    Parameters
    ----------
    true, predicted : set of Label
        The labels of each side.
    """

    true: set[Label] = field(factory=set)
    predicted: set[Label] = field(factory=set)
    _covered: Sequence[Label] = field(default=(), init=False, repr=False, eq=False)

    @classmethod
    def of(cls, labels: Sequence[Label], true: Codes, predicted: Codes) -> LabelSides:
        """Return the sides of two columns of label codes.

        Examples
        --------
        >>> import numpy as np
        >>> dog, cat = Label("class", "dog"), Label("class", "cat")
        >>> LabelSides.of([dog, cat], np.array([0, 0]), np.array([1])).meet
        False
        >>> LabelSides.of([dog, cat], np.array([0, 1]), np.array([1])).meet
        True
        """
        count = len(labels)
        sides = (_distinct(codes, count) for codes in (true, predicted))
        return cls(*({labels[code] for code in codes.tolist()} for codes in sides))

    @property
    def meet(self) -> bool:
        """True if a label has both sides."""
        return not self.true.isdisjoint(self.predicted)

    def covers(self, labels: Sequence[Label]) -> bool:
        """Return whether all labels have both sides already, as in most batches of a stream."""
        if labels == self._covered:
            return True
        if self.true.issuperset(labels) and self.predicted.issuperset(labels):
            self._covered = labels
            return True
        return False

    def join(self, other: LabelSides) -> None:
        """Add the labels of other data."""
        self.true |= other.true
        self.predicted |= other.predicted

    @property
    def warning(self) -> str | None:
        """Warning if labels have two spellings or if the sides have no label in common."""
        if not self.true or not self.predicted:
            return None
        disjoint = "" if self.meet else "no label has both ground truths and predictions; "
        pairs = look_alikes(self.true, self.predicted)
        if pairs:
            named = ", ".join(map(self._spellings, pairs[:_NAMED])) + and_more(len(pairs) - _NAMED)
            return (
                f"{disjoint}similar labels are counted as different: {named}; if they are "
                f"the same, set label_map: {_label_map(pairs[:_NAMED])}"
            )
        if not disjoint:
            return None
        true, predicted = (_listed(side) for side in (self.true, self.predicted))
        return (
            f"no label has both ground truths and predictions (true: {true}; "
            f"predicted: {predicted}); check their spelling"
        )

    def _spellings(self, pair: tuple[Label, Label]) -> str:
        """Describe both labels of a pair and the sides of each."""
        write = ascii if _print_alike(pair) else repr
        sides = {"true": self.true, "predicted": self.predicted}
        return " and ".join(
            f"{write(str(label))} ({', '.join(name for name in sides if label in sides[name])})"
            for label in pair
        )


def _print_alike(pair: tuple[Label, Label]) -> bool:
    """Return whether two labels print alike, so that only escapes distinguish them."""
    return len({printed(str(label)) for label in pair}) == 1


def _label_map(pairs: Sequence[tuple[Label, Label]]) -> str:
    """Return a label map as both a config and Python write it."""
    keep = not any(map(_print_alike, pairs))
    if all(label.key == DEFAULT_KEY for pair in pairs for label in pair):
        renames: object = {one.value: other.value for one, other in pairs}
    else:
        renames = [[[label.key, label.value] for label in pair] for pair in pairs]
    return json.dumps(renames, ensure_ascii=not keep)


def _distinct(codes: Codes, count: int) -> Codes:
    """Return the distinct codes of a column."""
    head: Codes = np.flatnonzero(np.bincount(codes[:_HEAD], minlength=count))
    if len(head) == count or len(codes) <= _HEAD:
        return head
    return np.flatnonzero(np.bincount(codes, minlength=count))


def _listed(labels: set[Label]) -> str:
    named = ", ".join(repr(str(label)) for label in sorted(labels)[:_NAMED])
    return named + and_more(len(labels) - _NAMED)
