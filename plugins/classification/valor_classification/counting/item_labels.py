"""True and predicted labels of items, as columns of label codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_labels import LabelSets, numbers_or_none

from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.kernels.values import in_type
from valor_core.errors import StateError, and_more
from valor_core.results import ItemRows, Numbers
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import SINGLE
from valor_core.schemas import Codes, Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.schemas.columns import natural_order, object_column, widen_as_printed
from valor_core.states import StateContent
from valor_core.states.saved_columns import saved_column

_LISTED = 5
"""Most labels that a text lists."""

_Set = tuple[str, ...]


@frozen(eq=False, repr=False)
class ItemLabels:
    """True and predicted labels of items of one label key.

    Parameters
    ----------
    names : tuple of str
        Labels in the order of their codes.
    truths : LabelSets
        Ground truths of each item, sorted by label.
    predictions : LabelSets
        Predictions of each item, the greatest score first.
    scores : ndarray of float64
        Greatest score of each item, NaN without scores.

    Examples
    --------
    >>> from valor_classification.counting.key_view import views
    >>> from valor_core.schemas.classification import Classification, ClassificationBatch
    >>> item = Classification("a", "dog", {"dog": 0.25, "cat": 0.75})
    >>> (view,) = views(ClassificationBatch.of([item]))
    >>> labels = ItemLabels.of(view, np.array([0]))
    >>> labels.details()["wrong"].tolist()
    ['predicted cat, true dog']
    """

    names: tuple[str, ...]
    truths: LabelSets
    predictions: LabelSets
    scores: Floats

    @classmethod
    def of(cls, view: KeyView, positions: Codes, least: float | None = None) -> ItemLabels:
        """Return the labels of some items of a view.

        Parameters
        ----------
        view : KeyView
            View of one label key.
        positions : ndarray of int64
            Positions of the items.
        least : float, optional
            Least score of a prediction. Without, only the best-scoring label is predicted.
        """
        names, count = tuple(label.value for label in view.labels), view.count
        ranks = np.empty(len(names), np.int64)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        datums, labels = view.truth_datums, view.truth_labels
        if not view.is_single:
            order = np.lexsort((ranks[labels], datums))
            datums, labels = datums[order], labels[order]
        has_top = view.top_labels != NONE
        tops = np.flatnonzero(has_top)
        at, predicted = (
            (tops, view.top_labels[tops]) if least is None else _predicted(view, least, ranks)
        )
        scores = np.full(count, np.nan)
        scores[tops] = widen_as_printed(view.top_scores[tops])
        return cls(
            names,
            LabelSets.of(datums, labels.astype(np.int32), count).select(positions),
            LabelSets.of(at, predicted.astype(np.int32), count).select(positions),
            scores[positions],
        )

    def select(self, positions: Codes, predicted: Codes | None = None) -> ItemLabels:
        """Return the labels of items, optionally with only their first predictions."""
        return ItemLabels(
            self.names,
            self.truths.select(positions),
            self.predictions.select(positions, predicted),
            self.scores[positions],
        )

    @classmethod
    def joined(cls, parts: Sequence[ItemLabels]) -> ItemLabels:
        """Concatenate the labels of items."""
        codes: dict[str, int] = {}
        for name in chain.from_iterable(part.names for part in parts):
            codes.setdefault(name, len(codes))
        recoded = [np.array([codes[name] for name in part.names], np.int32) for part in parts]

        def sets(each: Sequence[LabelSets]) -> LabelSets:
            none = np.empty(0, np.int32)
            labels = [new[one.codes] for new, one in zip(recoded, each, strict=True)]
            sizes = [one.sizes for one in each]
            return LabelSets(np.concatenate([none, *sizes]), np.concatenate([none, *labels]))

        return cls(
            tuple(codes),
            sets([part.truths for part in parts]),
            sets([part.predictions for part in parts]),
            np.concatenate([np.empty(0), *(part.scores for part in parts)]),
        )

    def details(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the details of items.

        ``truth`` and ``prediction`` are one label, or None without; lists of labels if an item has
        several. ``wrong`` names the labels that differ, and is empty without.
        """
        is_single = max(self.truths.sizes.max(initial=0), self.predictions.sizes.max(initial=0)) < 2
        truth_numbers, truths = self._named(self.truths)
        numbers, predictions = self._named(self.predictions)
        pairs, indices = np.unique(
            truth_numbers * max(len(predictions), 1) + numbers, return_inverse=True
        )
        wrong = _single_errors if is_single else _errors
        both = (divmod(pair, len(predictions)) for pair in pairs.tolist())
        texts = [wrong(truths[truth], predictions[prediction]) for truth, prediction in both]
        found = {
            "truth": _cells(truths, is_single)[truth_numbers],
            "prediction": _cells(predictions, is_single)[numbers],
            "score": numbers_or_none(self.scores),
            "wrong": object_column(texts)[indices.ravel()],
        }
        if not is_single:
            del found["score"]
        return found

    def _named(self, sets: LabelSets) -> tuple[Codes, list[_Set]]:
        numbers, distinct = sets.distinct()
        return numbers, [tuple(self.names[code] for code in codes) for codes in distinct]

    def dump(self) -> StateContent:
        """Return the columns, for a file."""
        return {
            "names": list(self.names),
            "truth_sizes": self.truths.sizes,
            "truths": self.truths.codes,
            "prediction_sizes": self.predictions.sizes,
            "predictions": self.predictions.codes,
            "scores": self.scores,
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any], count: int) -> ItemLabels:
        """Return the labels that `dump` wrote for so many items.

        Raises
        ------
        StateError
            If the content is damaged.
        """
        names = content.get("names")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise StateError("names: expected labels of items, found something else")
        truths = _restored(content, "truth", len(names), count)
        predictions = _restored(content, "prediction", len(names), count)
        scores = saved_column(content, "scores", np.float64, shape=(count,), finite=False)
        if np.isinf(scores).any():
            raise StateError("scores: expected finite numbers, found an infinite one")
        return cls(tuple(names), truths, predictions, scores)


@frozen(eq=False, repr=False)
class KeptItems:
    """Numbers and labels of items of one label key.

    Parameters
    ----------
    rows : ItemRows
        Numbers of items by name.
    labels : ItemLabels
        Labels of the same items.
    """

    rows: ItemRows
    labels: ItemLabels

    @classmethod
    def joined(cls, parts: Sequence[KeptItems]) -> KeptItems:
        """Concatenate parts."""
        return cls(
            ItemRows.joined([part.rows for part in parts]),
            ItemLabels.joined([part.labels for part in parts]),
        )

    def at(self, index: int) -> tuple[KeptItems, dict[str, Codes]]:
        """Return the items with their predictions at a threshold, and the sizes of their sets."""
        columns = {
            "truths": "truths",
            **{name: f"{name} {index}" for name in ("predicted", "common")},
        }
        sizes = {name: self.column(column) for name, column in columns.items()}
        return self.select(np.arange(len(self.rows)), sizes["predicted"]), sizes

    def column(self, name: str) -> Codes:
        """Return whole numbers of the items."""
        return self.rows.numbers[name].values.astype(np.int64)

    def select(self, positions: Codes, predicted: Codes | None = None) -> KeptItems:
        """Return the items at positions, optionally with only their first predictions."""
        return KeptItems(self.rows.select(positions), self.labels.select(positions, predicted))

    def sorted(self) -> KeptItems:
        """Return the items sorted by uid."""
        uids = self.rows.uids
        return self.select(natural_order(uids.astype("U") if uids.dtype.kind == "S" else uids))

    def with_values(
        self, values: NDArray[Any], details: Mapping[str, NDArray[Any]] | None = None
    ) -> ItemRows:
        """Return rows with one number for each item, its labels, and optionally more details."""
        return self.with_numbers({SINGLE: values}, details)

    def with_numbers(
        self,
        values: Mapping[str, NDArray[Any]],
        details: Mapping[str, NDArray[Any]] | None = None,
    ) -> ItemRows:
        """Return rows with numbers by name; otherwise as `with_values`."""
        positions = np.arange(len(self.rows))
        codes = np.zeros(len(positions), np.uint8)
        numbers = {name: Numbers(one.astype(np.float64), codes) for name, one in values.items()}
        columns = self.labels.details() | dict(details or {})
        return ItemRows(self.rows.uids, numbers, DetailColumns(columns, positions))

    def dump(self) -> StateContent:
        """Return the columns, for a file."""
        return {"item_rows": self.rows.dump(), "item_labels": self.labels.dump()}

    @classmethod
    def restored(cls, content: Mapping[str, Any]) -> KeptItems:
        """Return the items that `dump` wrote.

        Raises
        ------
        StateError
            If the content is damaged.
        """
        rows = ItemRows.restored(content["item_rows"])
        return cls(rows, ItemLabels.restored(content["item_labels"], len(rows)))


def _restored(content: Mapping[str, Any], name: str, labels: int, count: int) -> LabelSets:
    sizes = saved_column(content, f"{name}_sizes", np.int32, shape=(count,), low=0, high=labels)
    codes = saved_column(content, f"{name}s", np.int32, low=0, high=labels - 1)
    if sizes.sum(dtype=np.int64) != len(codes):
        raise StateError(f"{name}s: expected {sizes.sum(dtype=np.int64):,}, found {len(codes):,}")
    return LabelSets(sizes, codes)


def _predicted(view: KeyView, least: float, ranks: Codes) -> tuple[Codes, Codes]:
    """Return pairs of item and label with at least a score; per item the greatest score first."""
    scores = view.scores
    limit = in_type(np.array([least]), scores.values.dtype)[0]
    if isinstance(scores, ScoreMatrix):
        datums, columns = np.nonzero(scores.values >= limit)
        labels, values = scores.labels[columns], scores.values[datums, columns]
    else:
        rows = np.flatnonzero(scores.values >= limit)
        datums, labels, values = scores.datums[rows], scores.labels[rows], scores.values[rows]
    order = np.lexsort((ranks[labels], -values, datums))
    return datums[order], labels[order]


def _cells(sets: Sequence[_Set], is_single: bool) -> NDArray[Any]:
    if is_single:
        return object_column(one[0] if one else None for one in sets)
    return object_column(map(list, sets))


def _single_errors(truths: _Set, predictions: _Set) -> str:
    if truths == predictions:
        return ""
    return f"{_or_nothing('predicted', predictions)}, {_or_nothing('true', truths)}"


def _or_nothing(word: str, labels: _Set) -> str:
    return f"{word} {labels[0]}" if labels else f"nothing {word}"


def _errors(truths: _Set, predictions: _Set) -> str:
    found, true = set(predictions), set(truths)
    differing = {
        "missed": [label for label in truths if label not in found],
        "false": [label for label in predictions if label not in true],
    }
    return "; ".join(_listed(differing))


def _listed(differing: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for word, labels in differing.items():
        if labels:
            shown = ", ".join(labels[:_LISTED])
            yield f"{word} {shown}{and_more(len(labels) - _LISTED)}"
