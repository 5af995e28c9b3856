"""Annotations: ground truths and predictions of one datum, as the documented calls take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import SchemaError, shown
from valor_core.schemas.datum import Datum
from valor_core.schemas.label import DEFAULT_KEY, Label, as_label


@frozen
class ScoredLabel:
    """A predicted label with its score.

    Parameters
    ----------
    key, value : str
        As in `Label`.
    score : float
        What the model gave it.

    Examples
    --------
    >>> ScoredLabel("animal", "dog", 0.75).label
    Label(key='animal', value='dog')
    """

    key: str
    value: str
    score: float

    @property
    def label(self) -> Label:
        """The label alone."""
        return Label(self.key, self.value)


def _labels(labels: Any) -> tuple[Label | ScoredLabel, ...]:
    is_one = isinstance(labels, (str, Mapping, Label, ScoredLabel))
    return tuple(map(_label, (labels,) if is_one else labels or ()))


def _label(value: Any) -> Label | ScoredLabel:
    if isinstance(value, ScoredLabel):
        return value
    if not isinstance(value, Mapping):
        return as_label(value)
    label = as_label({"key": value.get("key", DEFAULT_KEY), "value": value.get("value")})
    score = value.get("score")
    if score is None:
        return label
    if isinstance(score, bool) or not isinstance(score, (int, float, np.number)):
        raise SchemaError(f"labels: expected a number as score of '{label}', got {shown(score)}")
    return ScoredLabel(label.key, label.value, float(score))


@frozen
class Annotation:
    """What is said about a datum.

    Parameters
    ----------
    labels : sequence of Label or ScoredLabel
        Labels; scored ones in a prediction.
    metadata : mapping of str to value, optional
        Facts about the annotation.
    """

    labels: tuple[Label | ScoredLabel, ...] = field(default=(), converter=_labels)
    metadata: Mapping[str, Any] = field(factory=dict)


def _datum(value: Any) -> Datum:
    if isinstance(value, Datum):
        return value
    if isinstance(value, Mapping):
        return Datum(value.get("uid"), value.get("metadata") or {})  # type: ignore[arg-type]
    if isinstance(value, (str, int)):
        return Datum(value)
    raise SchemaError(f"datum: expected a Datum or its uid, got {shown(value)}")


def _annotations(values: Any) -> tuple[Annotation, ...]:
    return tuple(
        value if isinstance(value, Annotation) else _annotation(value) for value in values or ()
    )


def _annotation(value: Any) -> Annotation:
    if isinstance(value, Mapping):
        return Annotation(value.get("labels"), value.get("metadata") or {})
    raise SchemaError(f"annotations: expected an Annotation, got {shown(value)}")


@frozen
class GroundTruth:
    """The truth about a datum.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        What is true of it.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)


@frozen
class Prediction:
    """What a model says about a datum; its labels have scores.

    Parameters
    ----------
    datum : Datum, str or int
        The item.
    annotations : sequence of Annotation
        What is predicted of it.
    """

    datum: Datum = field(converter=_datum)
    annotations: Sequence[Annotation] = field(default=(), converter=_annotations)
