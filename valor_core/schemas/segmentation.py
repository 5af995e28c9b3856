"""Segmentation data: an image of label codes on each side, and what its values mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.arrays import BY_CONTENT, Codes, check_length, codes, read_only
from valor_core.schemas.datum import Datum, Datums, Uid, listed
from valor_core.schemas.label import Label, Vocabulary, as_label, as_labels, label_tuple
from valor_core.schemas.pixels import Pixels, as_pixels

BACKGROUND, IGNORED = -1, -2
"""Codes of pixel values that are no label: nothing is there, or the pixel does not count."""


def _flags(values: Any) -> NDArray[np.bool_] | None:
    return None if values is None else read_only(np.asarray(values, dtype=bool))


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

    Examples
    --------
    >>> Legend.of_labels(2, ignore=255).codes
    array([-1,  0,  1, -2])
    """

    values: Codes = field(eq=BY_CONTENT, converter=_codes)
    codes: Codes = field(eq=BY_CONTENT, converter=_codes)
    crowd: NDArray[np.bool_] | None = field(default=None, eq=BY_CONTENT, converter=_flags)

    def __attrs_post_init__(self) -> None:
        check_length(self.codes, "codes", len(self.values))
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
    def has_instances(self) -> bool:
        """Whether a value is one object, not a label."""
        return self.crowd is not None

    def relabel(self, renamed: Codes) -> Legend:
        """The same under other label codes."""
        is_label = self.codes >= 0
        changed = self.codes.copy()
        changed[is_label] = renamed[self.codes[is_label]]
        return evolve(self, codes=changed)


@frozen
class LabelMap:
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


def _layers(values: Iterable[Layer]) -> tuple[Layer, ...]:
    return tuple(values)


def _maps(values: Iterable[LabelMap | None]) -> tuple[LabelMap | None, ...]:
    return tuple(values)


@frozen
class Layer:
    """One label map on each side of every datum; a datum has a layer for each label key.

    Parameters
    ----------
    groundtruths, predictions : sequence of LabelMap or None
        The maps of each datum; None is all background.
    """

    groundtruths: tuple[LabelMap | None, ...] = field(converter=_maps)
    predictions: tuple[LabelMap | None, ...] = field(converter=_maps)

    def select(self, positions: Codes) -> Layer:
        """The maps of the datums at some positions."""
        chosen = positions.tolist()
        return Layer([self.groundtruths[i] for i in chosen], [self.predictions[i] for i in chosen])

    def relabel(self, renamed: Codes) -> Layer:
        """The same under other label codes."""
        known: dict[int, Legend] = {}

        def mapped(one: LabelMap | None) -> LabelMap | None:
            if one is None:
                return None
            if id(one.legend) not in known:
                known[id(one.legend)] = one.legend.relabel(renamed)
            return LabelMap(one.pixels, known[id(one.legend)])

        return Layer(map(mapped, self.groundtruths), map(mapped, self.predictions))


Side = Any
"""What an item says of one side: an image of whole numbers, or an image for each label."""


@frozen
class Segmentation:
    """One image with the labels of its pixels.

    Parameters
    ----------
    uid : str or int
        Its name, unique in the data set.
    groundtruth, prediction : array-like or mapping of label to array-like, optional
        An image of whole numbers, 0 for background and i for the i-th of `labels`; or a boolean
        image for each label. None is all background.
    labels : sequence of labels
        What the whole numbers mean; only images of them need it.
    ignore : int, optional
        Value of the pixels of the ground truth that do not count.
    overlap : {"error", "first", "last"}
        Which of several labels of one key has a pixel that their images share.
    metadata : mapping of str to value, optional
        What the image can be sliced and filtered by.

    Examples
    --------
    >>> item = Segmentation("img_7", [[0, 1]], {"cat": [[True, True]]}, labels=["cat"])
    >>> item.labels
    (Label(key='class', value='cat'),)
    """

    uid: Uid
    groundtruth: Side = None
    prediction: Side = None
    labels: tuple[Label, ...] = field(default=(), converter=as_labels)
    ignore: int | None = None
    overlap: Literal["error", "first", "last"] = "error"
    metadata: Mapping[str, Any] = field(factory=dict)


@frozen
class SegmentationBatch:
    """Images with labelled pixels; what states read.

    Parameters
    ----------
    datums : Datums
        Uids and metadata of the images.
    labels : tuple of Label
        The batch's vocabulary; codes are positions in it.
    layers : tuple of Layer
        The label maps; several where images have several label keys.

    Raises
    ------
    SchemaError
        If a layer lacks an image, or the two sides of one differ in shape; names the item.

    Examples
    --------
    >>> batch = SegmentationBatch.from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"])
    >>> len(batch), batch.layers[0].groundtruths[0].pixels.shape
    (1, (1, 2))
    """

    task: ClassVar[str] = "segmentation"

    datums: Datums
    labels: tuple[Label, ...] = field(converter=label_tuple)
    layers: tuple[Layer, ...] = field(converter=_layers)

    def __attrs_post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels):
            raise SchemaError("labels: expected each label once in the vocabulary")
        for layer in self.layers:
            for side in (layer.groundtruths, layer.predictions):
                check_length(np.empty(len(side)), "layers", len(self))
            for i, (true, predicted) in enumerate(
                zip(layer.groundtruths, layer.predictions, strict=True)
            ):
                self._check_item(i, true, predicted)

    def _check_item(self, position: int, true: LabelMap | None, predicted: LabelMap | None) -> None:
        for one in (true, predicted):
            if one is not None and one.legend.codes.max(initial=-1) >= len(self.labels):
                raise SchemaError(
                    f"{self.datums.name(position)}: expected codes of {len(self.labels):,} labels, "
                    f"got {int(one.legend.codes.max())}"
                )
        if true is None or predicted is None or true.pixels.shape == predicted.pixels.shape:
            return
        expected, found = (" by ".join(map(str, one.pixels.shape)) for one in (true, predicted))
        raise SchemaError(
            f"{self.datums.name(position)}, prediction: expected {expected} pixels like the ground "
            f"truth, got {found}"
        )

    def __len__(self) -> int:
        return len(self.datums)

    @classmethod
    def of(cls, items: Iterable[Segmentation]) -> SegmentationBatch:
        """Columns of the objects.

        Raises
        ------
        SchemaError
            If an image is none, has a value that is no label, or labels share pixels; names the
            item.
        """
        items = listed(items, Segmentation)
        vocabulary = Vocabulary()
        sides = [
            (_stack(item, "groundtruth", vocabulary), _stack(item, "prediction", vocabulary))
            for item in items
        ]
        keys = sorted({key for pair in sides for side in pair for key in side})
        layers = [
            Layer([true.get(key) for true, _ in sides], [seen.get(key) for _, seen in sides])
            for key in keys
        ]
        datums = Datums.of(Datum(item.uid, item.metadata) for item in items)
        return cls(datums, vocabulary.labels, layers)

    @classmethod
    def from_arrays(
        cls,
        y_true: Sequence[Any],
        y_pred: Sequence[Any],
        *,
        labels: Sequence[Any],
        ignore: int | None = None,
        uids: Any = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> SegmentationBatch:
        """Columns of images of whole numbers, 0 for background and i for the i-th label.

        Parameters
        ----------
        y_true, y_pred : sequence of array-like, shapes (height, width)
            True and predicted images; a stack of them will do.
        labels : sequence of labels
            What the values mean.
        ignore : int, optional
            Value of true pixels that do not count.
        uids, metadata : optional
            As in `Datums`; without uids the images are numbered.
        """
        names = as_labels(list(labels))
        true = Legend.of_labels(len(names), ignore)
        predicted = Legend.of_labels(len(names))
        if len(y_true) != len(y_pred):
            raise SchemaError(
                f"y_true and y_pred: expected as many images, got {len(y_true):,} and "
                f"{len(y_pred):,}"
            )
        layer = Layer(
            [LabelMap(image, true) for image in y_true],
            [LabelMap(image, predicted) for image in y_pred],
        )
        datums = (
            Datums.numbers(len(y_true), metadata) if uids is None else Datums(uids, metadata or {})
        )
        return cls(datums, names, [layer])

    def select(self, positions: Codes) -> SegmentationBatch:
        """The images at some positions."""
        layers = [layer.select(positions) for layer in self.layers]
        return SegmentationBatch(self.datums.select(positions), self.labels, layers)

    def relabel(self, renames: Mapping[Label, Label]) -> SegmentationBatch:
        """The same data under a label map, applied to both sides."""
        vocabulary = Vocabulary()
        renamed = vocabulary.join(renames.get(label, label) for label in self.labels)
        layers = [layer.relabel(renamed) for layer in self.layers]
        return SegmentationBatch(self.datums, vocabulary.labels, layers)

    def renumber(self, start: int) -> SegmentationBatch:
        """The same data, called by their positions from `start` on."""
        return evolve(self, datums=self.datums.renumber(start))

    def items(self) -> Iterator[Segmentation]:
        """The items as objects, with a boolean image for each label."""
        for i in range(len(self)):
            datum = self.datums.at(i)
            true = [layer.groundtruths[i] for layer in self.layers]
            predicted = [layer.predictions[i] for layer in self.layers]
            yield Segmentation(
                datum.uid, self._masks(true), self._masks(predicted), metadata=datum.metadata
            )

    def _masks(self, maps: Sequence[LabelMap | None]) -> dict[Label, NDArray[np.bool_]] | None:
        masks: dict[Label, NDArray[np.bool_]] = {}
        for one in maps:
            if one is None:
                continue
            image = one.pixels.read(0, one.pixels.shape[0])
            for code in np.unique(one.legend.codes[one.legend.codes >= 0]).tolist():
                values = one.legend.values[one.legend.codes == code]
                masks[self.labels[code]] = np.isin(image, values)
        return masks or None


def _stack(item: Segmentation, side: str, vocabulary: Vocabulary) -> dict[str, LabelMap]:
    """The label maps of one side of an item, by label key."""
    value = getattr(item, side)
    if value is None:
        return {}
    try:
        if isinstance(value, Mapping):
            return _of_masks(value, item.overlap, vocabulary)
        ignore = item.ignore if side == "groundtruth" else None
        return _of_numbers(value, item.labels, ignore, vocabulary)
    except SchemaError as error:
        message = f"item {item.uid!r}, {side}: {error.message}"
        raise SchemaError(message, error.remedy) from None


def _of_numbers(
    value: Any, labels: Sequence[Label], ignore: int | None, vocabulary: Vocabulary
) -> dict[str, LabelMap]:
    meaning = {0: BACKGROUND} | {i: vocabulary.code(label) for i, label in enumerate(labels, 1)}
    if ignore is not None:
        meaning[ignore] = IGNORED
    keys = {label.key for label in labels}
    if len(keys) != 1:
        raise SchemaError(
            f"expected labels of one key for an image of whole numbers, got {sorted(keys)}",
            "Give an image for each label instead: {label: image}.",
        )
    return {keys.pop(): LabelMap(value, Legend.of(meaning))}


def _of_masks(
    value: Mapping[Any, Any], overlap: str, vocabulary: Vocabulary
) -> dict[str, LabelMap]:
    by_key: dict[str, list[tuple[Label, NDArray[np.bool_]]]] = {}
    for name, mask in value.items():
        label = as_label(name)
        image = np.asarray(mask)
        if image.ndim != 2:
            raise SchemaError(f"expected rows and columns of pixels for '{label}'")
        by_key.setdefault(label.key, []).append((label, image != 0))
    return {key: _painted(masks, overlap, vocabulary) for key, masks in by_key.items()}


def _painted(
    masks: Sequence[tuple[Label, NDArray[np.bool_]]], overlap: str, vocabulary: Vocabulary
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
