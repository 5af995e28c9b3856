"""Label images: images of whole numbers, and what their values mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from attrs.converters import optional
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas.columns import BY_CONTENT, Codes, booleans, check_length, codes
from valor_core.schemas.segmentation.pixels import Image, Pixels, as_pixels

BACKGROUND, IGNORED = -1, -2
"""Codes of pixel values that are no label: nothing is there, or the pixel does not count."""


def _codes(values: Any) -> Codes:
    return codes(values, "values")


@frozen
class Legend:
    """What the values of an image's pixels mean.

    Parameters
    ----------
    values : ndarray of int64, shape (v,)
        Pixel values, ascending; any other value is an error.
    codes : ndarray of int64, shape (v,)
        Label code of each value, `BACKGROUND` or `IGNORED`.
    crowd : ndarray of bool, shape (v,), optional
        Where values are single objects: which of them are crowds. None where a value stands for
        all pixels of a label.
    listed : bool
        Whether every value of a label is a segment of the image, also one without pixels.

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
                f"pixels that do not count, got {self.codes.min()}"
            )
        if not bool(np.all(self.values[1:] > self.values[:-1])):
            raise SchemaError("values: expected each pixel value once, ascending")
        if self.crowd is not None:
            check_length(self.crowd, "crowd", len(self.values))

    @classmethod
    def of_labels(cls, count: int, ignore: int | None = None) -> Legend:
        """0 is background and i the i-th label; `ignore` does not count."""
        meaning = {i: i - 1 for i in range(count + 1)}
        if ignore is not None:
            meaning[ignore] = IGNORED
        return cls.of(meaning)

    @classmethod
    def of(cls, meaning: Mapping[int, int]) -> Legend:
        """The legend of a mapping from pixel value to label code."""
        values = sorted(meaning)
        return cls(values, [meaning[value] for value in values])

    @property
    def meaning(self) -> dict[int, int]:
        """Code of each value."""
        return dict(zip(self.values.tolist(), self.codes.tolist(), strict=True))

    @property
    def has_instances(self) -> bool:
        """Whether a value is one object, not a label."""
        return self.crowd is not None

    def of_type(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], Codes]:
        """The values that a type of pixels can have, in that type, and their positions.

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

    def only(self, own: NDArray[np.bool_]) -> Legend | None:
        """The same with some labels alone, others as background; None if nothing is left of it."""
        is_label = self.codes >= 0
        kept = is_label.copy()
        kept[is_label] = own[self.codes[is_label]]
        if is_label.any() and not kept.any() and IGNORED not in self.codes:
            return None
        return evolve(self, codes=np.where(is_label & ~kept, BACKGROUND, self.codes))

    def relabel(self, renamed: Codes) -> Legend:
        """The same under other label codes."""
        is_label = self.codes >= 0
        changed = self.codes.copy()
        changed[is_label] = renamed[self.codes[is_label]]
        return evolve(self, codes=changed)


@frozen
class LabelImage:
    """The labels of an image's pixels.

    Parameters
    ----------
    pixels : Pixels or array-like
        Values of the pixels.
    legend : Legend
        What they mean.
    """

    pixels: Pixels = field(converter=as_pixels)
    legend: Legend

    def read(self, first: int, last: int, place: str) -> Image:
        """Rows of the pixels from `first` up to, and without, `last`.

        Raises
        ------
        SchemaError
            If what the pixels are read from gives other than these rows, as a file that was
            written anew may, or no whole numbers; names the place.

        Examples
        --------
        >>> LabelImage([[0, 1], [1, 1]], Legend.of_labels(1)).read(1, 2, "item 'a', groundtruth")
        array([[1, 1]])
        """
        rows: Any = self.pixels.read(first, last)
        wanted = last - first, self.pixels.shape[1]
        if not isinstance(rows, np.ndarray) or rows.shape != wanted or rows.dtype.kind not in "iu":
            raise SchemaError(
                f"{place}: expected {wanted[0]:,} by {wanted[1]:,} whole numbers from row "
                f"{first:,} on, got {shown(rows)}"
            )
        return rows


LabelImages = tuple[LabelImage | None, ...]
"""One side of a layer."""


def _maps(values: Iterable[LabelImage | None]) -> LabelImages:
    return tuple(values)


def codes_of_legends(maps: LabelImages) -> Codes:
    """Codes of all labels that legends name, whether a pixel has them or not, ascending.

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
    """One label image on each side of every datum; a datum has a layer for each label key.

    Parameters
    ----------
    groundtruths, predictions : sequence of LabelImage or None
        The maps of each datum; None is all background.
    """

    groundtruths: LabelImages = field(converter=_maps)
    predictions: LabelImages = field(converter=_maps)

    def select(self, positions: Codes) -> Layer:
        """The maps of the datums at some positions."""
        chosen = positions.tolist()
        return Layer([self.groundtruths[i] for i in chosen], [self.predictions[i] for i in chosen])

    @property
    def codes(self) -> Codes:
        """Codes of all labels that legends name, whether a pixel has them or not, ascending."""
        return codes_of_legends((*self.groundtruths, *self.predictions))

    def relabel(self, renamed: Codes) -> Layer:
        """The same under other label codes."""
        return self._with(lambda legend: legend.relabel(renamed))

    def only(self, own: NDArray[np.bool_]) -> Layer:
        """The same with some labels alone: those whose code has a flag."""
        return self._with(lambda legend: legend.only(own))

    def _with(self, change: Callable[[Legend], Legend | None]) -> Layer:
        """The same with other legends; each is changed once."""
        known: dict[int, Legend | None] = {}

        def mapped(one: LabelImage | None) -> LabelImage | None:
            if one is None:
                return None
            if id(one.legend) not in known:
                known[id(one.legend)] = change(one.legend)
            legend = known[id(one.legend)]
            return None if legend is None else LabelImage(one.pixels, legend)

        return Layer(map(mapped, self.groundtruths), map(mapped, self.predictions))
