"""Labels, vocabularies that assign codes to them, and label maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.parameters.kinds import quoted
from valor_core.schemas.columns import (
    Codes,
    as_score,
    check_name,
    check_number,
    natural,
    plain_text,
    read_only,
)

DEFAULT_KEY = "class"
"""Key of labels written without a key."""


def _plain(value: Any) -> Any:
    return plain_text(value) if isinstance(value, str) else value


def _text(label: Any, attribute: Any, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise SchemaError(
            f"Label: {attribute.name} must be a non-empty string, got {short_repr(value)}"
        )
    check_name(value, f"Label: {attribute.name}")


@frozen(order=True, cache_hash=True)
class Label:
    """A value under a key: ``Label("animal", "dog")``. Metrics are grouped by key.

    Labels are sorted by key and then by value, numeric values by size before all others.

    Examples
    --------
    >>> Label("animal", "dog") < Label("color", "white")
    True
    """

    key: str = field(converter=_plain, validator=_text)
    value: str = field(converter=_plain, validator=_text, order=natural)

    def __str__(self) -> str:
        return self.value if self.key == DEFAULT_KEY else f"{self.key}: {self.value}"


@lru_cache(maxsize=1 << 16)
def kept_label(key: str, value: str) -> Label:
    """Return a cached label: a data set names the same few labels for many items."""
    return Label(key, value)


LabelLike = Label | str | int | tuple[str, str]
"""Label, or a value that converts to one: a bare value has the key ``class``."""


EXACT = 2**53
"""Floats represent integers below this exactly; a greater float may be rounded."""


def label_value(value: Any) -> str | None:
    """Return the value of a label as text, or None if the type is not supported.

    Text is unchanged and an integer becomes its digits. A float without a fraction counts as an
    integer, since pandas converts integers to floats if one of a column is missing.

    Examples
    --------
    >>> label_value("1.0"), label_value(1), label_value(1.0), label_value(1.5)
    ('1.0', '1', '1', None)
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    is_float = isinstance(value, (float, np.floating))
    if is_float and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return None


def as_label(value: Any) -> Label:
    """Convert a label, a bare value or a (key, value) pair to a label.

    Raises
    ------
    SchemaError
        If it is neither a label, a string, an integer nor a (key, value) pair.

    Examples
    --------
    >>> as_label("dog"), as_label(("animal", "dog"))
    (Label(key='class', value='dog'), Label(key='animal', value='dog'))
    """
    if isinstance(value, Label):
        return value
    text = label_value(value)
    if text is not None:
        return kept_label(DEFAULT_KEY, text)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Label(value[0], value[1])
    if isinstance(value, Mapping) and set(value) == {"key", "value"}:
        return Label(value["key"], value["value"])
    raise SchemaError(
        f"label: expected a string, a (key, value) pair or a Label, got {short_repr(value)}",
        quoted(value) if isinstance(value, bool) else None,
    )


def as_labels(value: Any) -> tuple[Label, ...]:
    """Convert one value or a sequence of values to labels; None becomes an empty tuple.

    A tuple is a sequence like a list, so a (key, value) pair must be inside one.

    Examples
    --------
    >>> as_labels("dog"), as_labels([("animal", "dog")])
    ((Label(key='class', value='dog'),), (Label(key='animal', value='dog'),))
    >>> as_labels(("cat", "dog")) == as_labels(["cat", "dog"])
    True
    """
    if value is None:
        return ()
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return (as_label(value),)
    return tuple(as_label(label) for label in value)


def are_distinct(labels: Sequence[Label]) -> bool:
    """Return whether no label occurs twice; fast for the list checked last.

    Examples
    --------
    >>> are_distinct([Label("class", "dog"), Label("class", "cat"), Label("class", "dog")])
    False
    """
    labels = list(labels)
    if labels == _distinct[-1]:
        return True
    if len(set(labels)) < len(labels):
        return False
    _distinct[-1] = labels
    return True


# Batches of a stream repeat the same labels, so the last list without duplicates is cached.
# Comparing lists of the same objects takes a hundredth of making a set of a thousand labels.
# Threads may overwrite the cache at any time, which only costs a recomputation.
_distinct: list[list[Label]] = [[]]


def distinct_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Convert to the vocabulary of a batch: labels in the order of their codes.

    Raises
    ------
    SchemaError
        If one occurs twice.
    """
    found = tuple(labels)
    if not are_distinct(found):
        raise SchemaError("labels: expected each label once in the vocabulary")
    return found


def as_scored_labels(value: Any, place: str) -> tuple[tuple[Label, float], ...]:
    """Convert a mapping or a sequence of pairs to labels with scores.

    Raises
    ------
    SchemaError
        If the value has another form; the message begins with `place`.

    Examples
    --------
    >>> as_scored_labels({"dog": 0.75}, "predictions")
    ((Label(key='class', value='dog'), 0.75),)
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SchemaError(f"{place}: expected (label, score) pairs, got {short_repr(value)}")
    scored = []
    for pair in value.items() if isinstance(value, Mapping) else value:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise SchemaError(f"{place}: expected (label, score) pairs, got {short_repr(pair)}")
        label, score = pair
        if type(score) is not float:  # inline, since most scores are floats and calls are slow
            check_number(score, f"{place}: expected a number as score")
            score = as_score(score)
        scored.append((as_label(label), score))
    return tuple(scored)


def check_finite_scores(scored: Iterable[tuple[Label, float]], place: str) -> None:
    """Raise a `SchemaError` that begins with `place` if a score is not finite."""
    for label, score in scored:
        if not math.isfinite(score):
            raise SchemaError(f"{place}: expected a finite score for {str(label)!r}, got {score}")


def label_map(mapping: Mapping[Any, Any] | Sequence[Any]) -> dict[Label, Label]:
    """Convert a label map of a config or a Python call to a dictionary.

    Parameters
    ----------
    mapping : mapping or sequence of pairs
        From old to new label. In a config, where keys are text, a label with another key than
        ``class`` is a ``[key, value]`` pair and the map is a list of ``[from, to]`` pairs.

    Raises
    ------
    SchemaError
        If it is neither a mapping nor a list of pairs, or maps a label to two names.

    Examples
    --------
    >>> label_map({"tabby": "cat"})
    {Label(key='class', value='tabby'): Label(key='class', value='cat')}
    """
    if isinstance(mapping, str) or not isinstance(mapping, (Mapping, Iterable)):
        raise SchemaError(
            f"label_map: expected a table of labels, got {short_repr(mapping)}",
            "Write it as: label_map: {tabby: cat}",
        )
    pairs = mapping.items() if isinstance(mapping, Mapping) else mapping
    renames: dict[Label, Label] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise SchemaError(f"label_map: expected [from, to] pairs, got {short_repr(pair)}")
        with error_at("label_map: "):
            old, new = map(as_label, pair)
        if renames.setdefault(old, new) != new:
            raise SchemaError(f"label_map: expected one name for {str(old)!r}, found two")
    return renames


@define
class Vocabulary:
    """Labels with codes in the order of their arrival, merged from batches and other states.

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> vocabulary.join([Label("class", "dog"), Label("class", "cat")])
    array([0, 1])
    >>> vocabulary.join([Label("class", "cat"), Label("class", "bee")])
    array([1, 2])
    >>> vocabulary.order, vocabulary.sorted_labels[0]
    (array([2, 1, 0]), Label(key='class', value='bee'))
    """

    labels: list[Label] = field(factory=list)
    _codes: dict[Label, int] | None = field(default=None, init=False, repr=False, eq=False)
    _order: Codes | None = field(default=None, init=False, repr=False, eq=False)

    def __len__(self) -> int:
        return len(self.labels)

    def join(self, labels: Iterable[Label]) -> Codes:
        """Add labels, and return their codes in this vocabulary in the given order."""
        labels = list(labels)
        if labels == self.labels:
            return np.arange(len(labels))
        if not self.labels and are_distinct(labels):
            self.labels, self._codes = labels, None
            return np.arange(len(labels))
        joined = [self.code(label) for label in labels]
        return np.array(joined, dtype=np.int64)

    def code(self, label: Label) -> int:
        """Return the code of a label; a new label is added."""
        if self._codes is None:
            self._codes = {label: code for code, label in enumerate(self.labels)}
        code = self._codes.setdefault(label, len(self.labels))
        if code == len(self.labels):
            self.labels.append(label)
        return code

    @property
    def order(self) -> Codes:
        """Codes in the order of their sorted labels."""
        # Labels are only ever added, so an order of the same length is up to date.
        if self._order is None or len(self._order) != len(self.labels):
            # Sorting labels would compute a key for every comparison; here each label has one.
            keys = [(label.key, natural(label.value)) for label in self.labels]
            order = sorted(range(len(keys)), key=keys.__getitem__)
            self._order = read_only(np.array(order, dtype=np.int64))
        return self._order

    @property
    def sorted_labels(self) -> tuple[Label, ...]:
        """Labels sorted by key and value."""
        return tuple(self.labels[code] for code in self.order)

    @property
    def keys(self) -> tuple[str, ...]:
        """Label keys, sorted."""
        return tuple(sorted({label.key for label in self.labels}))
