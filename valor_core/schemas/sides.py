"""Sides: label maps of what items say of an image's ground truth and prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve, field, frozen

from valor_core.errors import SchemaError, shown
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, as_label
from valor_core.schemas.label_maps import BACKGROUND, IGNORED, LabelMap, Legend
from valor_core.schemas.pixels import Flags, Image, flags
from valor_core.schemas.segments import Segments

if TYPE_CHECKING:
    from valor_core.schemas.segmentation import Segmentation

Maps = dict[str, LabelMap]
"""Label maps by label key."""

_LARGEST = np.iinfo(np.int64).max


def check_labels(labels: Sequence[Label]) -> None:
    """Raise a `SchemaError` unless labels can be the whole numbers of one image.

    Examples
    --------
    >>> check_labels([Label("class", "cat"), Label("class", "cat")])
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: labels: expected each label once, got 'cat' twice
    """
    keys = sorted({label.key for label in labels})
    if len(keys) != 1:
        raise SchemaError(
            f"expected labels of one key for an image of whole numbers, got {keys}",
            "Give an image for each label instead: {label: image}.",
        )
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise SchemaError(f"labels: expected each label once, got '{label}' twice")
        seen.add(label)


def legend_of(labels: Sequence[Label], codes: Sequence[int], ignore: int | None) -> Legend:
    """The legend under which 0 is background and i the i-th label.

    Parameters
    ----------
    labels : sequence of Label
        Distinct labels of one key.
    codes : sequence of int
        Their codes.
    ignore : int or None
        Value of pixels that do not count.

    Raises
    ------
    SchemaError
        If labels or the value to ignore are not right.

    Examples
    --------
    >>> legend_of([Label("class", "cat")], [0], ignore=255).codes
    array([-1,  0, -2])
    """
    check_labels(labels)
    if ignore is not None and 0 < ignore <= len(labels):
        raise _is_label(ignore, labels[ignore - 1])
    meaning = {0: BACKGROUND} | dict(enumerate(codes, 1))
    return Legend.of(meaning if ignore is None else meaning | {ignore: IGNORED})


def _is_label(ignore: int, label: Label) -> SchemaError:
    return SchemaError(
        f"ignore: expected a value that is no label, got {ignore}, which is '{label}'"
    )


def ignored_of(value: Any) -> int | Flags | None:
    """A value to ignore, or which pixels to.

    Raises
    ------
    SchemaError
        If it is neither.

    Examples
    --------
    >>> ignored_of(255), ignored_of([[0, 1]])
    (255, array([[False,  True]]))
    """
    if value is None:
        return None
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if not -_LARGEST <= value <= _LARGEST:
            raise SchemaError(f"ignore: expected a whole number of 64 bits, got {value}")
        return int(value)
    if isinstance(value, (str, bytes)) or np.ndim(value) != 2:
        raise SchemaError(
            f"ignore: expected a whole number, or rows and columns of booleans, got {shown(value)}"
        )
    return flags(value, "ignore")


@frozen
class Packer:
    """Makes label maps of what items say of their sides.

    Parameters
    ----------
    vocabulary : Vocabulary
        All labels so far.
    legends : dict
        Legends of images of whole numbers, each made once, by labels and value to ignore.
    """

    vocabulary: Vocabulary = field(factory=Vocabulary)
    legends: dict[tuple[tuple[Label, ...], int | None], Legend] = field(factory=dict)

    def maps(self, item: Segmentation) -> tuple[Maps, Maps]:
        """The label maps of both sides of an item.

        Raises
        ------
        SchemaError
            If a side is none; names the item and the side.
        """
        true, seen = self._side(item, "groundtruth"), self._side(item, "prediction")
        if isinstance(item.ignore, np.ndarray):
            for key in sorted({*true, *seen}):
                try:
                    true[key] = without(true.get(key), item.ignore)
                except SchemaError as error:
                    raise error.at(f"item {item.uid!r}, ") from None
        return true, seen

    def _side(self, item: Segmentation, side: str) -> Maps:
        value = getattr(item, side)
        if value is None:
            return {}
        ignore = item.ignore if side == "groundtruth" and isinstance(item.ignore, int) else None
        try:
            if isinstance(value, Mapping):
                if ignore is not None:
                    raise SchemaError(
                        f"ignore: expected an image of booleans beside masks, got {ignore}",
                        "Masks have no values; give the pixels that do not count as a mask too.",
                    )
                return _of_masks(value, item.overlap, self.vocabulary)
            if isinstance(value, Segments):
                return _of_segments(value, ignore, self.vocabulary)
            legend = self._legend(item.labels, ignore)
            return {item.labels[0].key: LabelMap(value, legend)}
        except SchemaError as error:
            message = f"item {item.uid!r}, {side}: {error.message}"
            raise SchemaError(message, error.remedy) from None

    def _legend(self, labels: tuple[Label, ...], ignore: int | None) -> Legend:
        if (labels, ignore) not in self.legends:
            codes = [self.vocabulary.code(label) for label in labels]
            self.legends[labels, ignore] = legend_of(labels, codes, ignore)
        return self.legends[labels, ignore]


def without(one: LabelMap | None, ignored: Flags) -> LabelMap:
    """A label map in which some pixels do not count; one that is missing is background.

    Raises
    ------
    SchemaError
        If the pixels have another shape.

    Examples
    --------
    >>> without(LabelMap([[1, 1]], Legend.of_labels(1)), np.array([[True, False]])).pixels.array
    array([[2, 1]])
    """
    if one is None:
        return LabelMap(ignored, Legend.of({0: BACKGROUND, 1: IGNORED}))
    if ignored.shape != one.pixels.shape:
        expected, found = (
            " by ".join(map(str, shape)) for shape in (one.pixels.shape, ignored.shape)
        )
        raise SchemaError(f"ignore: expected {expected} pixels like the ground truth, got {found}")
    image = one.pixels.read(0, len(ignored))
    value = 1 + max(int(image.max(initial=0)), int(one.legend.values.max(initial=0)))
    legend = Legend.of(one.legend.meaning | {value: IGNORED})
    if one.legend.crowd is not None:
        legend = evolve(legend, crowd=np.append(one.legend.crowd, False))
    kind = np.promote_types(image.dtype, np.min_scalar_type(value))
    painted: Image = image.astype(kind if kind.kind in "iu" else np.int64)
    painted[ignored] = value
    return LabelMap(painted, legend)


def _of_segments(value: Segments, ignore: int | None, vocabulary: Vocabulary) -> Maps:
    if ignore is not None and ignore in value.labels:
        raise _is_label(ignore, value.labels[ignore])
    codes = {number: vocabulary.code(label) for number, label in value.labels.items()}
    ignored = {} if ignore is None else {ignore: IGNORED}
    legend = Legend.of({0: BACKGROUND} | codes | ignored)
    crowd = np.isin(legend.values, list(value.crowd))
    key = next((label.key for label in value.labels.values()), DEFAULT_KEY)
    return {key: LabelMap(value.pixels, evolve(legend, crowd=crowd))}


def _of_masks(value: Mapping[Any, Any], overlap: str, vocabulary: Vocabulary) -> Maps:
    by_key: dict[str, list[tuple[Label, Flags]]] = {}
    for name, mask in value.items():
        label = as_label(name)
        by_key.setdefault(label.key, []).append((label, flags(mask, f"'{label}'")))
    return {key: _painted(masks, overlap, vocabulary) for key, masks in by_key.items()}


def _painted(
    masks: Sequence[tuple[Label, Flags]], overlap: str, vocabulary: Vocabulary
) -> LabelMap:
    """One image of several masks."""
    shape = masks[0][1].shape
    image = np.zeros(shape, np.min_scalar_type(len(masks)))
    for value, (label, mask) in enumerate(masks, 1):
        if mask.shape != shape:
            raise SchemaError(
                f"expected {shape[0]} by {shape[1]} pixels for '{label}' as for "
                f"'{masks[0][0]}', got {mask.shape[0]} by {mask.shape[1]}"
            )
        shared = mask & (image > 0)
        if overlap == "error" and shared.any():
            other = masks[int(image[shared][0]) - 1][0]
            raise SchemaError(
                f"expected each pixel in one label, {int(shared.sum()):,} are in '{other}' and in "
                f"'{label}'",
                "Set overlap to 'first' or 'last' to give them to one of the two.",
            )
        image[mask if overlap == "last" else mask & ~shared] = value
    codes = {value: vocabulary.code(label) for value, (label, _) in enumerate(masks, 1)}
    return LabelMap(image, Legend.of({0: BACKGROUND} | codes))
