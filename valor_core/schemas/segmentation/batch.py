"""Segmentation batch: label images of many items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
from attrs import evolve, field, frozen

from valor_core.errors import SchemaError
from valor_core.schemas.batch import Batch, FileRow
from valor_core.schemas.columns import Codes, check_length
from valor_core.schemas.datum import Datum, Datums, listed
from valor_core.schemas.label import Label, Vocabulary, distinct_labels
from valor_core.schemas.pairing import LabelSides, sides_of
from valor_core.schemas.segmentation.items import Segmentation, Side
from valor_core.schemas.segmentation.label_images import (
    IGNORED,
    LabelImage,
    LabelImages,
    Layer,
    codes_of_legends,
)
from valor_core.schemas.segmentation.layers import are_apart, by_key
from valor_core.schemas.segmentation.packing import Packer
from valor_core.schemas.segmentation.pixels import Flags, size_words
from valor_core.schemas.segmentation.segments import Segments


def _layers(values: Iterable[Layer]) -> tuple[Layer, ...]:
    return tuple(values)


def _label_set(values: Iterable[Label]) -> frozenset[Label]:
    return frozenset(values)


@frozen
class SegmentationBatch(Batch):
    """Images with labelled pixels.

    Parameters
    ----------
    datums : Datums
        Uids and metadata of the images.
    labels : tuple of Label
        Vocabulary of the batch. Codes are positions in it.
    layers : tuple of Layer
        Label images, one layer per label key.
    stuff : frozenset of Label
        Labels declared as stuff (not things) by the data.
    left_out : mapping of str to int
        Number of unusual rows by description, for warnings.
    first_left_out : mapping of str to (str, int)
        File and row of the first item of each description, if the reader reports it.

    Raises
    ------
    SchemaError
        If a layer lacks an image, the sides of a layer differ in shape, a prediction has ignored
        pixels, a label key has two layers or a layer has two keys. The message names the item.

    Examples
    --------
    >>> item = Segmentation("a", {"cat": [[False, True]]}, {"cat": [[True, True]]})
    >>> batch = SegmentationBatch.of([item])
    >>> len(batch), batch.layers[0].groundtruths[0].pixels.shape
    (1, (1, 2))
    """

    task: ClassVar[str] = "segmentation"

    datums: Datums
    labels: tuple[Label, ...] = field(converter=distinct_labels)
    layers: tuple[Layer, ...] = field(converter=_layers)
    stuff: frozenset[Label] = field(default=frozenset(), converter=_label_set)
    left_out: Mapping[str, int] = field(factory=dict)
    first_left_out: Mapping[str, FileRow] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for layer in self.layers:
            for side in (layer.groundtruths, layer.predictions):
                check_length(np.empty(len(side)), "layers", len(self))
            for i, (true, predicted) in enumerate(
                zip(layer.groundtruths, layer.predictions, strict=True)
            ):
                self._check_item(i, true, predicted)
        if not are_apart(self.layers, self.labels):
            raise SchemaError(
                "layers: expected one layer per label key, with labels of this key only"
            )

    def _check_item(
        self, position: int, true: LabelImage | None, predicted: LabelImage | None
    ) -> None:
        for one in (true, predicted):
            if one is not None and one.legend.codes.max(initial=-1) >= len(self.labels):
                raise SchemaError(
                    f"{self.datums.name(position)}: expected codes of {len(self.labels):,} labels, "
                    f"got {int(one.legend.codes.max())}"
                )
        if predicted is not None and IGNORED in predicted.legend.codes:
            raise SchemaError(
                f"{self.datums.name(position)}, prediction: expected labels and background, got "
                "ignored pixels",
                "Ignore them in the ground truth instead: then they count for neither side.",
            )
        if true is None or predicted is None or true.pixels.shape == predicted.pixels.shape:
            return
        raise SchemaError(
            f"{self.datums.name(position)}, prediction: expected {size_words(true.pixels)} pixels "
            f"like the ground truth, got {size_words(predicted.pixels)}"
        )

    @classmethod
    def of(cls, items: Iterable[Segmentation]) -> SegmentationBatch:
        """Convert objects to columns.

        Raises
        ------
        SchemaError
            If an image is invalid, has a value without a label, or labels share pixels; names the
            item.
        """
        items = listed(items, Segmentation)
        packer = Packer()
        sides = [packer.maps(item) for item in items]
        keys = sorted({key for pair in sides for side in pair for key in side})
        layers = [
            Layer([true.get(key) for true, _ in sides], [other.get(key) for _, other in sides])
            for key in keys
        ]
        datums = Datums.of(Datum(item.uid, item.metadata) for item in items)
        stuff = {label for item in items for label in item.stuff}
        return cls(datums, packer.vocabulary.labels, layers, stuff)

    @property
    def sides(self) -> set[str]:
        """Sides of the images, as returned by `sides_of`."""
        return sides_of(
            _annotated(layer.groundtruths for layer in self.layers),
            _annotated(layer.predictions for layer in self.layers),
        )

    @property
    def label_sides(self) -> LabelSides:
        """Labels in the legends of ground truths and of predictions."""
        return LabelSides.of(
            self.labels,
            _named(layer.groundtruths for layer in self.layers),
            _named(layer.predictions for layer in self.layers),
        )

    def select(self, positions: Codes) -> SegmentationBatch:
        """Return the images at the given positions."""
        layers = [layer.select(positions) for layer in self.layers]
        return evolve(self, datums=self.datums.select(positions), layers=layers)

    def relabel(self, renames: Mapping[Label, Label]) -> SegmentationBatch:
        """Return the data with renamed labels on both sides.

        Raises
        ------
        SchemaError
            If two labels of one key share a pixel after renaming; names the item.
        """
        vocabulary = Vocabulary()
        renamed = vocabulary.join(renames.get(label, label) for label in self.labels)
        layers = by_key(
            [layer.relabel(renamed) for layer in self.layers], vocabulary.labels, self.datums.name
        )
        stuff = {renames.get(label, label) for label in self.stuff}
        return evolve(self, labels=vocabulary.labels, layers=layers, stuff=stuff)

    def items(self) -> Iterator[Segmentation]:
        """Yield the items as objects with segments, or with a boolean image per label."""
        for i in range(len(self)):
            datum, place = self.datums.at(i), self.datums.name(i)
            true = [layer.groundtruths[i] for layer in self.layers]
            predicted = [layer.predictions[i] for layer in self.layers]
            yield Segmentation(
                datum.uid,
                self._side(true, f"{place}, groundtruth"),
                self._side(predicted, f"{place}, prediction"),
                ignore=_ignored([one for one in true if one is not None], f"{place}, groundtruth"),
                stuff=sorted(self.stuff),
                metadata=datum.metadata,
            )

    def _side(self, maps: Sequence[LabelImage | None], place: str) -> Side:
        present = [one for one in maps if one is not None]
        if len(present) == 1 and present[0].legend.has_instances:
            return self._segments(present[0])
        return self._masks(present, place)

    def _segments(self, one: LabelImage) -> Segments:
        legend = one.legend
        is_label = legend.codes >= 0
        codes = legend.codes[is_label].tolist()
        numbers = legend.values[is_label].tolist()
        crowd = () if legend.crowd is None else legend.values[is_label & legend.crowd].tolist()
        labels = (self.labels[code] for code in codes)
        named = dict(zip(numbers, labels, strict=True))
        return Segments(one.pixels, named, crowd, legend.listed)

    def _masks(self, maps: Sequence[LabelImage], place: str) -> dict[Label, Flags] | None:
        masks: dict[Label, Flags] = {}
        for one in maps:
            image = one.read(0, one.pixels.shape[0], place)
            for code in np.unique(one.legend.codes[one.legend.codes >= 0]).tolist():
                values = one.legend.values[one.legend.codes == code]
                masks[self.labels[code]] = np.isin(image, values)
        return masks or None


def _annotated(sides: Iterable[LabelImages]) -> Codes:
    """Return the ascending positions of the images with a label image in any layer."""
    found = {i for maps in sides for i, one in enumerate(maps) if one is not None}
    return np.array(sorted(found), np.int64)


def _named(sides: Iterable[LabelImages]) -> Codes:
    """Return the codes in the legends of one side in any layer."""
    return np.array([code for maps in sides for code in codes_of_legends(maps).tolist()], np.int64)


def _ignored(maps: Sequence[LabelImage], place: str) -> int | Flags | None:
    """Return the ignored value, or the ignored pixels."""
    values = [one.legend.values[one.legend.codes == IGNORED] for one in maps]
    if not any(map(len, values)):
        return None
    if len(maps) == 1 and maps[0].legend.has_instances and len(values[0]) == 1:
        return int(values[0][0])
    ignored = np.zeros(maps[0].pixels.shape, bool)
    for one, hidden in zip(maps, values, strict=True):
        ignored |= np.isin(one.read(0, len(ignored), place), hidden)
    return ignored
