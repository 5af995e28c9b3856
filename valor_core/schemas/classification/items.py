"""Classification items: labels, and labels with scores, as people write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from valor_core.errors import SchemaError, shown
from valor_core.schemas.datum import (
    metadata_field,
    uid_field,
)
from valor_core.schemas.decimals import as_score
from valor_core.schemas.label import (
    Label,
    as_label,
    as_labels,
)


def _scored_labels(value: Any) -> tuple[tuple[Label, float], ...]:
    if isinstance(value, str) or not isinstance(value, (Iterable, type(None))):
        raise SchemaError(f"predictions: expected (label, score) pairs, got {shown(value)}")
    pairs = value.items() if isinstance(value, Mapping) else () if value is None else value
    scored = []
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise SchemaError(f"predictions: expected (label, score) pairs, got {shown(pair)}")
        label, score = pair
        scored.append((as_label(label), score if type(score) is float else _score(score)))
    return tuple(scored)


def _score(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise SchemaError(f"predictions: expected a number as score, got {shown(value)}")
    return as_score(value)


@frozen
class Classification:
    """One classified item: its true labels and the labels predicted, each with a score.

    Parameters
    ----------
    uid : str or int
        Its name, unique in the data set.
    groundtruths : label or sequence of labels
        The truth; one per label key, or several (multilabel). A bare string is a value under the
        key ``class``, a (key, value) pair in a list names its key.
    predictions : mapping of label to score, or sequence of (label, score)
        In the order in which ties are broken. A label that is not listed ranks below all that
        are and passes no threshold.
    metadata : mapping of str to value, optional
        What the item can be sliced and filtered by.

    Examples
    --------
    >>> item = Classification("img_7", "dog", {"dog": 0.75, "cat": 0.25})
    >>> item.groundtruths
    (Label(key='class', value='dog'),)
    """

    task: ClassVar[str] = "classification"

    uid: str | int = uid_field()
    groundtruths: tuple[Label, ...] = field(converter=as_labels, default=())
    predictions: tuple[tuple[Label, float], ...] = field(converter=_scored_labels, default=())
    metadata: Mapping[str, Any] = metadata_field()
