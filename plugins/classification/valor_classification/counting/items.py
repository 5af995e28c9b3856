"""Datums with their ground truths and predictions, for metrics that name examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import asdict, define, evolve, field, frozen
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyState, StateByKey, saved_scores
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.threshold_counts import SEVERAL, threshold_warnings
from valor_classification.counting.weighted_counts import saved_weights
from valor_classification.kernels.values import in_type
from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats, Label, Uids, natural_order
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import StateContent, StateRequest
from valor_core.states.saved_columns import check_same_length, saved_column


@frozen(eq=False)
class Chunk:
    """Datums of one view with labels of the key, and predictions that pass the lowest threshold.

    Parameters
    ----------
    uids : ndarray, shape (n,)
        Names of the datums.
    truth_datums, truth_labels : ndarray of int64
        Ground truths: position in `uids`, label code.
    datums, labels : ndarray of int64
        Predictions: position in `uids`, ascending, and label code, in the order listed.
    values : ndarray
        Their scores.
    weights : ndarray of float64, shape (n,), optional
        Weights of the datums.
    """

    uids: Uids
    truth_datums: Codes
    truth_labels: Codes
    datums: Codes
    labels: Codes
    values: Floats
    weights: Floats | None = None


@frozen(kw_only=True, eq=False)
class Items:
    """Datums of a label key in the order of their uids; labels sorted.

    Parameters
    ----------
    labels : tuple of Label
        Labels of the key.
    uids : list of str or int
        Names of the datums.
    truth_datums, truth_labels : ndarray of int64
        Ground truths by datum.
    datums, labels_of, bins : ndarray of int64
        Predictions by datum: label, and number of thresholds passed (at least one).
    values : ndarray of float64
        Their scores.
    is_true : ndarray of bool
        Whether a prediction is a ground truth of its datum.
    truth_bins : ndarray of int64
        Number of thresholds that the prediction of each ground truth passes, 0 without one.
    weights : ndarray of float64, optional
        Weights by datum.
    """

    labels: tuple[Label, ...]
    uids: list[str | int]
    truth_datums: Codes
    truth_labels: Codes
    truth_bins: Codes
    datums: Codes
    labels_of: Codes
    bins: Codes
    values: NDArray[np.float64]
    is_true: NDArray[np.bool_]
    weights: Floats | None = None


@define(slots=False, repr=False)
class KeyListing(KeyState):
    """Datums, ground truths and predictions of one label key.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds; predictions below the first are not kept.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    chunks: list[Chunk] = field(factory=list, init=False)

    def update(self, view: KeyView) -> None:
        """Keep a view."""
        self._keep(view, None)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Keep a view whose items have weights."""
        self._keep(view, weights[view.taking_part])

    def _keep(self, view: KeyView, weights: Floats | None) -> None:
        codes = self.add(view.labels)
        rows = np.flatnonzero(view.taking_part)
        positions = np.cumsum(view.taking_part) - 1
        datums, labels, values = self._predictions(view)
        self.chunks.append(
            Chunk(
                view.uids[rows],
                positions[view.truth_datums],
                codes[view.truth_labels],
                positions[datums],
                codes[labels],
                values,
                weights,
            )
        )

    def merge(self, other: KeyListing) -> None:
        """Add the items of another state of the same request, which is not modified."""
        super().merge(other)
        codes = self.vocabulary.join(other.vocabulary.labels)
        for chunk in tuple(other.chunks):
            truths, labels = codes[chunk.truth_labels], codes[chunk.labels]
            self.chunks.append(evolve(chunk, truth_labels=truths, labels=labels))

    def dump(self) -> StateContent:
        """Return all items, for a file."""
        columns = [
            asdict(chunk, filter=lambda _, value: value is not None) for chunk in self.chunks
        ]
        return super().dump() | {"chunks": [[*chunk.values()] for chunk in columns]}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        self.chunks = [_saved(columns, len(self.vocabulary)) for columns in content["chunks"]]
        if len({chunk.uids.dtype.kind for chunk in self.chunks}) > 1:
            raise StateError("uids: expected all strings or all whole numbers, found both")

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach, and of several ground truths."""
        if self.hardmax and any((np.diff(chunk.truth_datums) == 0).any() for chunk in self.chunks):
            yield SEVERAL
        limits = np.array(self.thresholds)
        reached = np.zeros(len(limits), np.int64)
        for chunk in self.chunks:
            bins = np.bincount(
                kernels.thresholds.passed(chunk.values, limits), minlength=len(limits) + 1
            )
            reached += bins[::-1].cumsum()[-2::-1]
        items, count = sum(len(chunk.uids) for chunk in self.chunks), len(self.vocabulary)
        yield from threshold_warnings(self.thresholds, reached.tolist(), items, count, self.hardmax)

    def table(self, thresholds: tuple[float, ...]) -> Items:
        """Everything kept, by uid, at some of the thresholds."""
        order = self.vocabulary.order
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        uids = np.concatenate([chunk.uids for chunk in self.chunks])
        starts = np.cumsum([0, *(len(chunk.uids) for chunk in self.chunks)])[:-1]
        by_uid = natural_order(uids)
        position_of = np.empty(len(uids), dtype=np.int64)
        position_of[by_uid] = np.arange(len(uids))
        truths = self._sorted(position_of, starts, ("truth_datums", "truth_labels"))
        datums, labels, values = self._sorted(position_of, starts, ("datums", "labels", "values"))
        bins = np.concatenate(
            [kernels.thresholds.passed(c.values, np.array(thresholds)) for c in self.chunks]
        )
        bins = bins[self._order(position_of, starts, "datums")].astype(np.int64)
        kept = bins > 0
        weights = [chunk.weights for chunk in self.chunks if chunk.weights is not None]
        return _table(
            self.vocabulary.sorted_labels,
            uids[by_uid].tolist(),
            (truths[0], ranks[truths[1]]),
            (
                datums[kept],
                ranks[labels[kept]],
                values[kept].astype(np.float64),
                bins[kept],
            ),
            np.concatenate(weights)[by_uid] if weights else None,
        )

    def _predictions(self, view: KeyView) -> tuple[Codes, Codes, Floats]:
        """Return copies of datum, label and score of predictions above the lowest threshold."""
        scores = view.scores
        limit = in_type(np.array(self.thresholds[:1]), scores.values.dtype)[0]
        if self.hardmax:
            tops = view.top_labels
            datums = np.flatnonzero((tops != NONE) & (view.top_scores >= limit))
            return datums, tops[datums].astype(np.int64), view.top_scores[datums]
        if isinstance(scores, ScoreMatrix):
            datums, columns = np.nonzero(scores.values >= limit)
            return datums, scores.labels[columns], scores.values[datums, columns]
        kept = np.flatnonzero(scores.values >= limit)
        return scores.datums[kept], scores.labels[kept], scores.values[kept]

    def _order(self, position_of: Codes, starts: Codes, datums: str) -> Codes:
        rows = zip(self.chunks, starts, strict=True)
        found = [position_of[getattr(chunk, datums) + start] for chunk, start in rows]
        return np.argsort(np.concatenate(found), kind="stable")

    def _sorted(self, position_of: Codes, starts: Codes, names: tuple[str, ...]) -> list[Any]:
        """Columns of all chunks together, by datum, the first one as the datum's place."""
        order = self._order(position_of, starts, names[0])
        columns = []
        for name in names:
            parts = [getattr(chunk, name) for chunk in self.chunks]
            if name == names[0]:
                parts = [
                    position_of[part + start] for part, start in zip(parts, starts, strict=True)
                ]
            columns.append(np.concatenate(parts)[order])
        return columns


def _saved(columns: list[Any], count: int) -> Chunk:
    """A chunk of a file, over some number of labels."""
    names = ("uids", "truth_datums", "truth_labels", "datums", "labels", "values")
    content = dict(zip((*names, "weights"), columns, strict=False))
    is_text = getattr(content["uids"], "dtype", np.dtype(np.int64)).kind == "U"
    uids = saved_column(content, "uids", "U" if is_text else np.int64)
    chunk = Chunk(
        uids,
        saved_column(content, "truth_datums", np.int64, low=0, high=len(uids) - 1),
        saved_column(content, "truth_labels", np.int64, low=0, high=count - 1),
        saved_column(content, "datums", np.int64, low=0, high=len(uids) - 1),
        saved_column(content, "labels", np.int64, low=0, high=count - 1),
        saved_scores(content, "values", (None,)),
        saved_weights(content, len(uids)),
    )
    for pair in (("truth_datums", "truth_labels"), ("datums", "labels", "values")):
        check_same_length({name: getattr(chunk, name) for name in pair})
        datums, labels = (getattr(chunk, name) for name in pair[:2])
        if (np.diff(datums) < 0).any():
            raise StateError(f"{pair[0]}: expected rows sorted by datum, found others")
        if len(np.unique(datums * count + labels)) < len(datums):
            raise StateError(f"{pair[1]}: expected each label of a datum once, found one twice")
    return chunk


def _table(
    labels: tuple[Label, ...],
    uids: list[str | int],
    truths: tuple[Codes, Codes],
    predictions: tuple[Codes, Codes, NDArray[np.float64], Codes],
    weights: Floats | None,
) -> Items:
    datums, labels_of, values, bins = predictions
    width = max(len(labels), 1)
    true_pairs = truths[0] * width + truths[1]
    pairs = datums * width + labels_of
    order = np.argsort(pairs, kind="stable")
    found = np.searchsorted(pairs[order], true_pairs)
    found[found == len(pairs)] = 0
    truth_bins = np.zeros(len(true_pairs), dtype=np.int64)
    is_true = np.zeros(len(pairs), dtype=bool)
    if len(pairs):
        entries = order[found]
        matched = pairs[entries] == true_pairs
        truth_bins[matched] = bins[entries[matched]]
        is_true[entries[matched]] = True
    return Items(
        labels=labels,
        uids=uids,
        truth_datums=truths[0],
        truth_labels=truths[1],
        truth_bins=truth_bins,
        datums=datums,
        labels_of=labels_of,
        bins=bins,
        values=values,
        is_true=is_true,
        weights=weights,
    )


@define(slots=False)
class Listing(StateByKey):
    """`KeyListing` for each label key."""

    part: ClassVar[type[KeyListing]] = KeyListing
    thresholds: tuple[float, ...] = ()
    hardmax: bool = False


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the listing at thresholds."""
    return StateRequest(Listing, {"hardmax": hardmax}, {"thresholds": thresholds})
