"""Image means: means over images of a quotient of each image, by label."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.results import Undefined
from valor_core.schemas import Codes
from valor_core.states import ExactSums
from valor_segmentation.counting.image_rows import Terms
from valor_segmentation.counting.pixel_counts import ImageRows

_BACKGROUND = 0
_UNIT = 1 << 1074  # of `ExactSums`

EMPTY = "no true pixels in the image"
"""Reason for excluding an image from the mean of a label."""


@frozen(kw_only=True)
class ImageMean:
    """Mean over images, and the excluded images by reason."""

    value: float | Undefined
    left_out: dict[str, int]


def image_means(
    found: ImageRows,
    labels: int,
    terms: Terms,
    *,
    zero_division: float | None,
    zero_reason: str,
    ignore_empty: bool,
) -> list[ImageMean]:
    """Return the mean over images of a quotient, for each label.

    Parameters
    ----------
    found : ImageRows
        Pixels of each image by label.
    labels : int
        Number of labels.
    terms : callable
        Function from tp, fp and fn to the numerators and denominators.
    zero_division : float, optional
        Value of 0/0; None excludes the image.
    zero_reason : str
        Reason for excluding 0/0.
    ignore_empty : bool
        Whether to exclude images without true pixels of the label.
    """
    kept = found.labels != _BACKGROUND
    codes = found.labels[kept] - 1
    tp, fp, fn = found.tp[kept], found.fp[kept], found.fn[kept]
    numerators, denominators = terms(tp, fp, fn)
    counts = np.ones(len(codes), bool) if not ignore_empty else tp + fn > 0
    is_defined = counts & (denominators > 0)
    sums = ExactSums()
    sums.grow(labels)
    sums.add(codes[is_defined], numerators[is_defined] / denominators[is_defined])
    images = len(found.uids)
    zeros = _count(codes[counts & (denominators == 0)], labels)
    empty = images - _count(codes[counts], labels)  # of the label, or also without a row
    if not ignore_empty:
        zeros, empty = zeros + empty, np.zeros_like(empty)
    defined = _count(codes[is_defined], labels)
    columns = (sums.units, defined.tolist(), zeros.tolist(), empty.tolist())
    return [
        _mean(*row, zero_division=zero_division, zero_reason=zero_reason)
        for row in zip(*columns, strict=True)
    ]


def pooled(found: ImageRows) -> ImageRows:
    """Return rows with the pixels of all labels of an image as one label."""
    kept = found.labels != _BACKGROUND
    datums, images = found.datums[kept], len(found.uids)
    sums = [
        np.bincount(datums, column[kept], minlength=images).astype(np.int64)
        for column in (found.tp, found.fp, found.fn)
    ]
    labels = np.ones(images, np.int64)
    tp, fp, fn = sums
    return evolve(found, datums=np.arange(images), labels=labels, tp=tp, fp=fp, fn=fn)


def _count(codes: Codes, size: int) -> Codes:
    return np.bincount(codes, minlength=size)


def _mean(
    units: int,
    defined: int,
    zeros: int,
    empty: int,
    *,
    zero_division: float | None,
    zero_reason: str,
) -> ImageMean:
    left_out: dict[str, Any] = {EMPTY: empty, zero_reason: 0}
    total, count = Fraction(units, _UNIT), defined
    if zero_division is None:
        left_out[zero_reason] = zeros
    else:
        total, count = total + Fraction(zero_division) * zeros, defined + zeros
    value = float(total / count) if count else Undefined("no images with a value")
    return ImageMean(value=value, left_out={k: n for k, n in left_out.items() if n})
