"""Packing: convert the sides of items to label images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from valor_core.errors import SchemaError
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, as_label
from valor_core.schemas.segmentation.items import Segmentation
from valor_core.schemas.segmentation.label_images import BACKGROUND, IGNORED, LabelImage, Legend
from valor_core.schemas.segmentation.legends import (
    PixelLabels,
    check_ignored,
    label_image,
    label_key_of,
    legend_of,
)
from valor_core.schemas.segmentation.pixels import Flags, Image, flags, size_words
from valor_core.schemas.segmentation.segments import Segments

LabelImagesByKey = dict[str, LabelImage]
"""Label images by label key."""


@frozen
class Packer:
    """Converter of the sides of items to label images.

    Parameters
    ----------
    vocabulary : Vocabulary
        All labels so far.
    legends : dict
        Cache of label keys and legends of images of integers, by labels and ignored values.
    """

    vocabulary: Vocabulary = field(factory=Vocabulary)
    legends: dict[Any, tuple[str, Legend]] = field(factory=dict)

    def maps(self, item: Segmentation) -> tuple[LabelImagesByKey, LabelImagesByKey]:
        """Return the label images of both sides of an item.

        Raises
        ------
        SchemaError
            If a side is invalid; names the item and the side.
        """
        true, predicted = self._side(item, "groundtruth"), self._side(item, "prediction")
        if isinstance(item.ignore, np.ndarray):
            for key in sorted({*true, *predicted}):
                try:
                    true[key] = without(true.get(key), item.ignore)
                except SchemaError as error:
                    raise error.at(f"item {item.uid!r}, ") from None
        return true, predicted

    def _side(self, item: Segmentation, side: str) -> LabelImagesByKey:
        value = getattr(item, side)
        if value is None:
            return {}
        ignored = _ignored(item, side)
        try:
            if isinstance(value, Mapping):
                if ignored:
                    raise SchemaError(
                        "ignore: expected a boolean image like the masks, got "
                        f"{', '.join(map(str, ignored))}",
                        "Masks have no values: pass the ignored pixels as a mask, too.",
                    )
                return _of_masks(value, item.overlap, self.vocabulary)
            if isinstance(value, Segments):
                return _of_segments(value, ignored, self.vocabulary)
            label_key, legend = self._legend(item.labels, ignored)
            return {label_key: label_image(value, legend)}
        except SchemaError as error:
            message = f"item {item.uid!r}, {side}: {error.message}"
            raise SchemaError(message, error.remedy) from None

    def _legend(self, labels: PixelLabels, ignored: tuple[int, ...]) -> tuple[str, Legend]:
        key = tuple(labels.items()) if isinstance(labels, Mapping) else labels, ignored
        if key not in self.legends:
            legend = legend_of(labels, ignored, self.vocabulary)
            self.legends[key] = label_key_of(labels), legend
        return self.legends[key]


def _ignored(item: Segmentation, side: str) -> tuple[int, ...]:
    """Return the ignored values of one side."""
    if side != "groundtruth" or item.ignore is None or isinstance(item.ignore, np.ndarray):
        return ()
    return item.ignore if isinstance(item.ignore, tuple) else (item.ignore,)


def without(one: LabelImage | None, ignored: Flags) -> LabelImage:
    """Return a label image with the given pixels ignored; None is background.

    Raises
    ------
    SchemaError
        If the mask has another shape.

    Examples
    --------
    >>> without(LabelImage([[1, 1]], Legend.of_labels(1)), np.array([[True, False]])).pixels.array
    array([[2, 1]])
    """
    if one is None:
        return LabelImage(ignored, Legend.of({0: BACKGROUND, 1: IGNORED}))
    if ignored.shape != one.pixels.shape:
        raise SchemaError(
            f"ignore: expected {size_words(one.pixels)} pixels like the ground truth, got "
            f"{size_words(ignored)}"
        )
    image = one.read(0, len(ignored), "pixels")
    value = 1 + max(int(image.max(initial=0)), int(one.legend.values.max(initial=0)))
    legend = Legend.of(one.legend.meaning | {value: IGNORED})
    if one.legend.crowd is not None:
        legend = evolve(legend, crowd=np.append(one.legend.crowd, False))
    kind = np.promote_types(image.dtype, np.min_scalar_type(value))
    painted: Image = image.astype(kind if kind.kind in "iu" else np.int64)
    painted[ignored] = value
    return LabelImage(painted, legend)


def _of_segments(
    value: Segments, values: tuple[int, ...], vocabulary: Vocabulary
) -> LabelImagesByKey:
    check_ignored(values, value.labels)
    codes = {number: vocabulary.code(label) for number, label in value.labels.items()}
    ignored = dict.fromkeys(values, IGNORED)
    legend = Legend.of({0: BACKGROUND} | codes | ignored)
    crowd = np.isin(legend.values, list(value.crowd))
    key = next((label.key for label in value.labels.values()), DEFAULT_KEY)
    return {key: LabelImage(value.pixels, evolve(legend, crowd=crowd, listed=value.listed))}


def _of_masks(value: Mapping[Any, Any], overlap: str, vocabulary: Vocabulary) -> LabelImagesByKey:
    by_key: dict[str, list[tuple[Label, Flags]]] = {}
    for name, mask in value.items():
        label = as_label(name)
        by_key.setdefault(label.key, []).append((label, flags(mask, f"'{label}'")))
    return {key: _painted(masks, overlap, vocabulary) for key, masks in by_key.items()}


def _painted(
    masks: Sequence[tuple[Label, Flags]], overlap: str, vocabulary: Vocabulary
) -> LabelImage:
    first, extent = masks[0]
    image = np.zeros(extent.shape, np.min_scalar_type(len(masks)))
    for value, (label, mask) in enumerate(masks, 1):
        if mask.shape != extent.shape:
            raise SchemaError(
                f"expected {size_words(extent)} pixels for '{label}' as for '{first}', got "
                f"{size_words(mask)}"
            )
        shared = mask & (image > 0)
        if overlap == "error" and shared.any():
            other = masks[int(image[shared][0]) - 1][0]
            raise SchemaError(
                f"expected one label per pixel, {int(shared.sum()):,} have both '{other}' and "
                f"'{label}'",
                "Set overlap to 'first' or 'last' to choose one.",
            )
        image[mask if overlap == "last" else mask & ~shared] = value
    codes = {value: vocabulary.code(label) for value, (label, _) in enumerate(masks, 1)}
    return LabelImage(image, Legend.of({0: BACKGROUND} | codes))
