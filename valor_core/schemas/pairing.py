"""Pairing of the two sides of the data, by their items and by their labels.

Uids or labels with two spellings make predictions wrong without an error. A report warns if no
item or no label is on both sides, and of labels that look alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from attrs import define, field

from valor_core.errors import and_more
from valor_core.schemas.columns import Codes
from valor_core.schemas.label import DEFAULT_KEY, Label
from valor_core.schemas.similar_names import look_alikes, printed

_FEW = 64  # datums of which one is mostly on both sides
_HEAD = 1024  # codes among which all labels mostly are
_NAMED = 3  # labels of a side that a message names

BOTH = "both"
"""Of a datum that has ground truths and predictions."""


def sides_of(truths: Codes, predictions: Codes) -> set[str]:
    """Which sides there are of some datums, and whether one of them has both.

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
    for some in (truths[:_FEW], truths[_FEW:]):
        places = np.minimum(np.searchsorted(predictions, some), len(predictions) - 1)
        if (predictions[places] == some).any():
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
        """The sides of two columns of label codes.

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
        """Whether a label is on both sides."""
        return not self.true.isdisjoint(self.predicted)

    def covers(self, labels: Sequence[Label]) -> bool:
        """Whether data with these labels add nothing, as most batches of a stream do."""
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
        """The warning of labels with two spellings, or of sides that share no label."""
        if not self.true or not self.predicted:
            return None
        apart = "" if self.meet else "no label is both true and predicted; "
        pairs = look_alikes(self.true, self.predicted)
        if pairs:
            named = ", ".join(map(self._spellings, pairs[:_NAMED])) + and_more(len(pairs) - _NAMED)
            return (
                f"{apart}labels that look alike are counted as different: {named}; if they mean "
                f"the same, set label_map: {_label_map(pairs[:_NAMED])}"
            )
        if not apart:
            return None
        true, predicted = (_some(side) for side in (self.true, self.predicted))
        return (
            f"no label is both true and predicted, true are {true}, predicted {predicted}; "
            "are the labels of both sides written alike?"
        )

    def _spellings(self, pair: tuple[Label, Label]) -> str:
        """Both labels of a pair, and the sides of each."""
        write = ascii if _print_alike(pair) else repr
        sides = {"true": self.true, "predicted": self.predicted}
        return " and ".join(
            f"{write(str(label))} ({', '.join(name for name in sides if label in sides[name])})"
            for label in pair
        )


def _print_alike(pair: tuple[Label, Label]) -> bool:
    """Whether only escapes of their characters distinguish two labels on a screen."""
    return len({printed(str(label)) for label in pair}) == 1


def _label_map(pairs: Sequence[tuple[Label, Label]]) -> str:
    """A label map in the words of a config and of Python."""
    keep = not any(map(_print_alike, pairs))
    if all(label.key == DEFAULT_KEY for pair in pairs for label in pair):
        renames: object = {one.value: other.value for one, other in pairs}
    else:
        renames = [[[label.key, label.value] for label in pair] for pair in pairs]
    return json.dumps(renames, ensure_ascii=not keep)


def _distinct(codes: Codes, count: int) -> Codes:
    """The codes of a column, each once."""
    head: Codes = np.flatnonzero(np.bincount(codes[:_HEAD], minlength=count))
    if len(head) == count or len(codes) <= _HEAD:
        return head
    return np.flatnonzero(np.bincount(codes, minlength=count))


def _some(labels: set[Label]) -> str:
    named = ", ".join(repr(str(label)) for label in sorted(labels)[:_NAMED])
    return named + and_more(len(labels) - _NAMED)
