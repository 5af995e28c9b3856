"""Pixels and numbers of single images, for the rows of items in reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.results import ItemRows, Numbers, Undefined
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import SINGLE
from valor_core.schemas import Codes
from valor_core.schemas.columns import object_column
from valor_segmentation.counting.pixel_counts import ImageRows, PixelCounts

_BACKGROUND = 0

Terms = Callable[[Codes, Codes, Codes], tuple[Codes, Codes]]
"""Function from tp, fp and fn to the numerators and denominators of quotients."""


def pooled_rows(state: PixelCounts, terms: Terms, *, background: bool = False) -> ItemRows | None:
    """Return a quotient of each image over the pixels of all labels.

    Images with 0/0 have nothing to find and nothing wrong, and get 1. Details have the pixels.

    Parameters
    ----------
    state : PixelCounts
        Pixels of each image.
    terms : callable
        Function from tp, fp and fn to the numerators and denominators.
    background : bool
        Whether background is one of the labels.

    Returns
    -------
    ItemRows, optional
        None without rows of images, or with several label keys.
    """
    found = _images(state, background=background)
    if found is None:
        return None
    counts = _pooled(found)
    numerators, denominators = terms(*counts.values())
    values = np.where(denominators > 0, numerators / np.maximum(denominators, 1), 1.0)
    numbers = Numbers(values, np.zeros(len(values), np.uint8))
    return ItemRows(found.uids, {SINGLE: numbers}, _details(state, counts))


def mean_rows(
    state: PixelCounts, terms: Terms, *, background: bool, weighted: bool, prediction_only: bool
) -> ItemRows | None:
    """Return the mean of a quotient over the labels of each image.

    Parameters
    ----------
    state, terms, background
        As in `pooled_rows`.
    weighted : bool
        Whether labels count by their true pixels.
    prediction_only : bool
        Whether labels without true pixels take part in a mean without weights.

    Returns
    -------
    ItemRows, optional
        Undefined for images without such labels; None as in `pooled_rows`.
    """
    found = _images(state, background=background)
    if found is None:
        return None
    numerators, denominators = terms(found.tp, found.fp, found.fn)
    truths = found.tp + found.fn
    weights = truths if weighted else np.int64(prediction_only | (truths > 0))
    weights = np.where(denominators > 0, weights, 0)
    quotients = weights * (numerators / np.maximum(denominators, 1))
    images = len(found.uids)
    sums, totals = (
        np.bincount(found.datums, column, minlength=images) for column in (quotients, weights)
    )
    has_none = totals == 0
    values = np.where(has_none, 0.0, sums / np.where(has_none, 1.0, totals))
    gaps = (Undefined("no true pixels of a label in the image"),)
    numbers = Numbers(values, has_none.astype(np.uint8), gaps)
    return ItemRows(found.uids, {SINGLE: numbers}, _details(state, _pooled(found)))


def count_rows(state: PixelCounts) -> ItemRows | None:
    """Return the tp, fp and fn of each image over all labels; None as in `pooled_rows`."""
    found = _images(state, background=False)
    if found is None:
        return None
    zeros = np.zeros(len(found.uids), np.uint8)
    counts = _pooled(found).items()
    numbers = {name: Numbers(one.astype(float), zeros) for name, one in counts}
    return ItemRows(found.uids, numbers, _details(state, {}))


def _images(state: PixelCounts, *, background: bool) -> ImageRows | None:
    """Return the labels of each image of the only label key."""
    parts = list(state.keys.values())
    if len(parts) != 1 or not parts[0].chunks or not parts[0].has_rows:
        return None
    found: ImageRows = parts[0].rows
    if background:
        return found
    kept = found.labels != _BACKGROUND
    names = ("datums", "labels", "tp", "fp", "fn")
    return evolve(found, **{name: getattr(found, name)[kept] for name in names})


def _pooled(found: ImageRows) -> dict[str, Codes]:
    """Return the pixels of each image over its labels."""
    images = len(found.uids)
    columns = {"tp": found.tp, "fp": found.fp, "fn": found.fn}
    return {
        name: np.bincount(found.datums, column, minlength=images).astype(np.int64)
        for name, column in columns.items()
    }


def _details(state: PixelCounts, counts: Mapping[str, Codes]) -> DetailColumns:
    """Return shares of labels and the largest confusions of each image, and counts."""
    found = _images(state, background=True)
    assert found is not None
    images = len(found.uids)
    totals = np.bincount(found.datums, found.tp + found.fn, minlength=images)
    columns = {
        "truth": _shares(found, found.tp + found.fn, totals),
        "prediction": _shares(found, found.tp + found.fp, totals),
        "wrong": object_column(map(partial(_wrong, found.names), found.confusions, totals)),
    }
    return DetailColumns({**columns, **counts}, np.arange(images))


def _shares(found: ImageRows, pixels: Codes, totals: Codes) -> NDArray[np.object_]:
    """Return the share of each image that each of its labels has, without background."""
    shares: list[dict[str, float]] = [{} for _ in range(len(found.uids))]
    kept = np.flatnonzero((pixels > 0) & (found.labels != _BACKGROUND))
    datums, labels = found.datums[kept], found.labels[kept]
    quotients = pixels[kept] / totals[datums]
    for datum, label, share in zip(
        datums.tolist(), labels.tolist(), quotients.tolist(), strict=True
    ):
        shares[datum][found.names[label]] = float(f"{share:.3g}")
    return object_column(shares)


def _wrong(names: Sequence[str], confusions: Codes, total: float) -> str | None:
    """Describe the largest confusions of an image, or return None if they were not counted.

    Examples
    --------
    >>> _wrong(["background", "road", "grass"], np.array([[1, 2, 12], [0, 0, 0]]), 100)
    '12 % road as grass'
    """
    if confusions[0, 2] < 0:
        return None
    texts = []
    for true, predicted, pixels in confusions.tolist():
        if pixels:
            percent = 100 * pixels / total
            number = f"{percent:.0f}" if percent >= 10 else f"{percent:.2g}"
            texts.append(f"{number} % {names[true]} as {names[predicted]}")
    return ", ".join(texts)
