"""Pairing: whether the two sides of the data meet, in their items and in their labels.

Uids or labels that are written in two ways make every prediction wrong without an error, so a
report warns where no item, or no label, stands on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field

from valor_core.errors import and_more
from valor_core.schemas.columns import Codes
from valor_core.schemas.label import Label

_FEW = 64  # datums, and labels, of which one is mostly on both sides
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


@define
class LabelSides:
    """Labels of ground truths and of predictions; only one of each once one is both.

    Parameters
    ----------
    true, predicted : set of Label
        The labels of each side.
    """

    true: set[Label] = field(factory=set)
    predicted: set[Label] = field(factory=set)

    @classmethod
    def of(cls, labels: Sequence[Label], true: Codes, predicted: Codes) -> LabelSides:
        """The sides of some columns of label codes.

        Examples
        --------
        >>> import numpy as np
        >>> dog, cat = Label("class", "dog"), Label("class", "cat")
        >>> LabelSides.of([dog, cat], np.array([0, 0]), np.array([1])).meet
        False
        >>> LabelSides.of([dog, cat], np.array([0, 1]), np.array([1])).meet
        True
        """
        for some in (slice(_FEW), slice(None)):
            sides = [set(codes[some].tolist()) for codes in (true, predicted)]
            common = set.intersection(*sides)
            if common:
                sides = [{min(common)}, {min(common)}]
                break
        return cls(*({labels[code] for code in codes} for codes in sides))

    @property
    def meet(self) -> bool:
        """Whether a label is on both sides."""
        return not self.true.isdisjoint(self.predicted)

    def join(self, other: LabelSides) -> None:
        """Take in the labels of other data."""
        self.true |= other.true
        self.predicted |= other.predicted
        if self.meet:
            common = min(self.true & self.predicted)
            self.true, self.predicted = {common}, {common}

    @property
    def warning(self) -> str | None:
        """What to say where labels of both sides never meet."""
        if self.meet or not self.true or not self.predicted:
            return None
        true, predicted = (_some(side) for side in (self.true, self.predicted))
        return (
            f"no label is both true and predicted, true are {true}, predicted {predicted}; "
            "are the labels of both sides written alike?"
        )


def _some(labels: set[Label]) -> str:
    named = ", ".join(repr(str(label)) for label in sorted(labels)[:_NAMED])
    return named + and_more(len(labels) - _NAMED)
