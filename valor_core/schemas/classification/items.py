"""Classification items: labels, and labels with scores, as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from valor_core.schemas.datum import metadata_field, uid_field
from valor_core.schemas.label import Label, as_labels, as_scored_labels


def _scored_labels(value: Any) -> tuple[tuple[Label, float], ...]:
    return () if value is None else as_scored_labels(value, "predictions")


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
