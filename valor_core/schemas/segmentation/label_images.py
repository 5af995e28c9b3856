"""Label images: images of integers, and the meaning of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from attrs.converters import optional
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.columns import BY_CONTENT, Codes, booleans, check_length, codes
from valor_core.schemas.segmentation.pixels import Image, Pixels, as_pixels

BACKGROUND, IGNORED = -1, -2
"""Codes of pixel values without a label: background, or a pixel that does not count."""


def _codes(values: Any) -> Codes:
    return codes(values, "values")


@frozen
class Legend:
    """Meaning of the pixel values of an image.

    Parameters
    ----------
    values : ndarray of int64, shape (v,)
        Ascending pixel values. Any other value is an error.
    codes : ndarray of int64, shape (v,)
        Label code of each value, `BACKGROUND` or `IGNORED`.
    crowd : ndarray of bool, shape (v,), optional
        Whether the object with this value is a crowd. None if values are labels, not objects.
    listed : bool
        Whether every value with a label is a segment of the image, even without pixels.

    Examples
    --------
    >>> Legend.of_labels(2, ignore=255).codes
    array([-1,  0,  1, -2])
    """

    values: Codes = field(eq=BY_CONTENT, converter=_codes)
    codes: Codes = field(eq=BY_CONTENT, converter=_codes)
    crowd: NDArray[np.bool_] | None = field(
        default=None, eq=BY_CONTENT, converter=optional(booleans)
    )
    listed: bool = False

    def __attrs_post_init__(self) -> None:
        check_length(self.codes, "codes", len(self.values))
        if self.codes.min(initial=IGNORED) < IGNORED:
            raise SchemaError(
                f"codes: expected codes of labels, {BACKGROUND} for background or {IGNORED} for "
                f"ignored pixels, got {self.codes.min()}"
            )
        if not bool(np.all(self.values[1:] > self.values[:-1])):
            raise SchemaError("values: expected ascending pixel values without duplicates")
        if self.crowd is not None:
            check_length(self.crowd, "crowd", len(self.values))

    @classmethod
    def of_labels(cls, count: int, ignore: int | None = None) -> Legend:
        """Return the legend with 0 as background, i as the i-th label, and `ignore` as ignored."""
        meaning = {i: i - 1 for i in range(count + 1)}
        if ignore is not None:
            meaning[ignore] = IGNORED
        return cls.of(meaning)

    @classmethod
    def of(cls, meaning: Mapping[int, int]) -> Legend:
        """Return the legend of a mapping from pixel value to label code."""
        values = sorted(meaning)
        return cls(values, [meaning[value] for value in values])

    @property
    def meaning(self) -> dict[int, int]:
        """Code of each value."""
        return dict(zip(self.values.tolist(), self.codes.tolist(), strict=True))

    @property
    def has_instances(self) -> bool:
        """True if values are objects instead of labels."""
        return self.crowd is not None

    def of_type(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], Codes]:
        """Return the values representable in a type of pixels, and their positions.

        Examples
        --------
        >>> Legend.of_labels(1, ignore=-1).of_type(np.dtype(np.uint64))
        (array([0, 1], dtype=uint64), array([1, 2]))
        """
        limits = np.iinfo(dtype)
        fits = self.values >= limits.min
        if limits.max < np.iinfo(np.int64).max:
            fits &= self.values <= limits.max
        positions = np.flatnonzero(fits)
        return self.values[positions].astype(dtype), positions

    def only(self, is_kept: NDArray[np.bool_]) -> Legend | None:
        """Return a legend with other labels as background, or None if no label is left."""
        is_label = self.codes >= 0
        kept = is_label.copy()
        kept[is_label] = is_kept[self.codes[is_label]]
        if is_label.any() and not kept.any() and IGNORED not in self.codes:
            return None
        return evolve(self, codes=np.where(is_label & ~kept, BACKGROUND, self.codes))

    def relabel(self, renamed: Codes) -> Legend:
        """Return the same legend with new label codes."""
        is_label = self.codes >= 0
        changed = self.codes.copy()
        changed[is_label] = renamed[self.codes[is_label]]
        return evolve(self, codes=changed)


@frozen
class LabelImage:
    """Image of pixel values with their legend.

    Parameters
    ----------
    pixels : Pixels or array-like
        Pixel values.
    legend : Legend
        Meaning of the values.
    """

    pixels: Pixels = field(converter=as_pixels)
    legend: Legend

    def read(self, first: int, last: int, place: str) -> Image:
        """Return the rows from `first` to `last` - 1.

        Raises
        ------
        SchemaError
            If the pixels do not return these rows as integers, for example because a file changed;
            names the image.

        Examples
        --------
        >>> LabelImage([[0, 1], [1, 1]], Legend.of_labels(1)).read(1, 2, "item 'a', groundtruth")
        array([[1, 1]])
        """
        rows: Any = self.pixels.read(first, last)
        shape = last - first, self.pixels.shape[1]
        if not isinstance(rows, np.ndarray) or rows.shape != shape or rows.dtype.kind not in "iu":
            raise SchemaError(
                f"{place}: expected {shape[0]:,} by {shape[1]:,} whole numbers from row "
                f"{first:,} on, got {short_repr(rows)}"
            )
        return rows


LabelImages = tuple[LabelImage | None, ...]
"""Label images of one side of a layer."""


def _maps(values: Iterable[LabelImage | None]) -> LabelImages:
    return tuple(values)


def codes_of_legends(maps: LabelImages) -> Codes:
    """Return the ascending codes of all labels in legends, with or without pixels.

    Examples
    --------
    >>> codes_of_legends((LabelImage([[0]], Legend.of_labels(2)), None))
    array([0, 1])
    """
    legends = {id(one.legend): one.legend for one in maps if one is not None}
    none = np.empty(0, np.int64)
    found: Codes = np.unique(np.concatenate([none, *(one.codes for one in legends.values())]))
    return found[found >= 0]


@frozen
class Layer:
    """Label images of one label key, on each side of every datum.

    Parameters
    ----------
    groundtruths, predictions : sequence of LabelImage or None
        Label images of each datum; None means background only.
    """

    groundtruths: LabelImages = field(converter=_maps)
    predictions: LabelImages = field(converter=_maps)

    def select(self, positions: Codes) -> Layer:
        """Return the label images of the datums at the given positions."""
        chosen = positions.tolist()
        return Layer([self.groundtruths[i] for i in chosen], [self.predictions[i] for i in chosen])

    @property
    def codes(self) -> Codes:
        """Ascending codes of all labels in legends, with or without pixels."""
        return codes_of_legends((*self.groundtruths, *self.predictions))

    def relabel(self, renamed: Codes) -> Layer:
        """Return the same layer with new label codes."""
        return self._with(lambda legend: legend.relabel(renamed))

    def only(self, is_kept: NDArray[np.bool_]) -> Layer:
        """Return the layer with only the labels whose code has a flag."""
        return self._with(lambda legend: legend.only(is_kept))

    def _with(self, change: Callable[[Legend], Legend | None]) -> Layer:
        """Return the same images with changed legends; each distinct legend is changed once."""
        changed: dict[int, Legend | None] = {}

        def mapped(one: LabelImage | None) -> LabelImage | None:
            if one is None:
                return None
            if id(one.legend) not in changed:
                changed[id(one.legend)] = change(one.legend)
            legend = changed[id(one.legend)]
            return None if legend is None else LabelImage(one.pixels, legend)

        return Layer(map(mapped, self.groundtruths), map(mapped, self.predictions))
