"""Reader of label images in PNG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError
from valor_core.kernels import in_threads, thread_count
from valor_core.schemas import Label
from valor_core.schemas.segmentation import Image, LabelImage, Legend, SegmentationBatch
from valor_core.schemas.segmentation.pixels import ImageInMemory
from valor_segmentation.parameters.readers import PngParameters
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    batched,
    check_shapes,
    described,
    pairs_of,
    parts,
    values_of,
    values_of_some,
)
from valor_segmentation.readers.legends import (
    FoundLabels,
    Palette,
    ValueLabels,
    check_not_several,
    hex_color,
    value_labels,
)
from valor_segmentation.readers.png_files import GRAY, GRAY_ALPHA, INDICES, PngFile


def label_image(path: Path, remedy: str | None = None) -> Image:
    """Return the gray levels or palette indices stored in the file.

    Parameters
    ----------
    path : Path
        A PNG image.
    remedy : str, optional
        Remedy for an image in colors.

    Raises
    ------
    ReadError
        If it cannot be read, is damaged, or is in colors.
    """
    png = PngFile.read(path)
    if png.color_type not in (GRAY, INDICES):
        raise ReadError(
            f"{path}: expected gray levels or indices of a palette, found colors ({png.mode})",
            remedy,
        )
    return png.samples()


def color_image(path: Path) -> NDArray[np.uint32]:
    """Colors as numbers, red in the lowest byte, like panoptic ids. Alpha is ignored.

    Raises
    ------
    ReadError
        If the image cannot be read, is damaged, or has colors of more than 8 bits.
    """
    png = PngFile.read(path)
    if png.depth > 8:
        raise ReadError(
            f"{path}: expected colors of 8 bits, found {png.depth} bits",
            "Convert the image to 8 bits a channel.",
        )
    values = png.samples()
    if png.color_type == INDICES:
        return _palette_colors(png)[_valid(values, png)]
    if png.color_type in (GRAY, GRAY_ALPHA):
        gray = values[..., 0] if png.color_type == GRAY_ALPHA else values
        return gray.astype(np.uint32) * np.uint32(0x010101 * (255 // (2**png.depth - 1)))
    packed = np.zeros((png.height, png.width, 4), np.uint8)
    packed[..., :3] = values[..., :3]
    return packed.view("<u4")[..., 0].astype(np.uint32, copy=False)


def _palette_colors(png: PngFile) -> NDArray[np.uint32]:
    parts = np.frombuffer(png.palette, np.uint8).reshape(-1, 3).astype(np.uint32)
    return parts @ np.array([1, 1 << 8, 1 << 16], np.uint32)


def _valid(values: Image, png: PngFile) -> Image:
    """Return palette indices, which must all have a color."""
    size = len(png.palette) // 3
    if values.max(initial=0) >= size:
        row, column = np.argwhere(values >= size)[0].tolist()
        raise ReadError(
            f"{png.path}, row {row}, column {column}: expected an index of the palette's {size:,} "
            f"colors, found {values[row, column]}",
            "Write the image again with a palette that has all of its colors.",
        )
    return values


_Read = TypeVar("_Read")
_REMEDY = "Say under data.palette which color is which label."


@frozen
class PngReader:
    """Reader of two folders of label images, matched by file name.

    Pixels are gray levels, indices of a palette, or colors.

    Parameters
    ----------
    parameters : PngParameters
        Folders, and labels of values or colors.
    task : str
        Always ``"segmentation"``.
    """

    parameters: PngParameters
    task: str

    _labels: ValueLabels | FoundLabels | Palette = field(init=False, eq=False, repr=False)

    @_labels.default
    def _named(self) -> ValueLabels | FoundLabels | Palette:
        chosen = self.parameters
        choices = {"labels": chosen.labels, "values": chosen.values, "palette": chosen.palette}
        check_not_several(choices)
        if chosen.palette:
            return Palette.of(chosen.palette, chosen.ignore, chosen.label_key)
        text = [value for value in chosen.ignore if isinstance(value, str)]
        if text:
            raise ReadError(
                f"data.ignore: expected whole numbers, found {text[0]!r}",
                "Colors are for images with a palette.",
            )
        ignore = [int(value) for value in chosen.ignore]
        named = value_labels(chosen.labels, chosen.values, ignore, chosen.label_key)
        if named is not None:
            return named
        values = self._sample(label_image)
        if not values and (colors := self._sample(color_image)):
            return Palette.of_sample(colors, chosen.ignore, chosen.label_key)
        return FoundLabels.of_sample(values, ignore, chosen.label_key)

    def partitions(self) -> Sequence[Pairs]:
        """Return partitions of several images each."""
        chosen = self.parameters
        endings = ([chosen.groundtruth_ending], [chosen.prediction_ending])
        pairs = pairs_of(
            chosen.groundtruths, chosen.predictions, endings, chosen.missing, has_endings=True
        )
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """Yield batches of a limited number of pixels."""
        facts = {pair.uid: pair.facts for pair in partition.pairs}
        if isinstance(self._labels, FoundLabels):
            for item, labels in _in_parallel(partial(_found_item, self._labels), partition.pairs):
                yield batch_of([item], labels, [facts[str(item[0])]])
            return
        images = (
            _Images(self._labels)
            if isinstance(self._labels, ValueLabels)
            else _ColorImages.of(self._labels)
        )
        for items in batched(_in_parallel(images.item, partition.pairs)):
            yield batch_of(items, images.meaning.labels, [facts[str(item[0])] for item in items])

    def _sample(self, read: Callable[[Path], NDArray[Any]]) -> set[int]:
        """Values in a sample of the images."""
        chosen = self.parameters
        sides = (
            (chosen.groundtruths, chosen.groundtruth_ending),
            (chosen.predictions, chosen.prediction_ending),
        )
        return set().union(*(values_of_some(read, folder, [ending]) for folder, ending in sides))


@frozen(eq=False)
class _Images:
    """Images whose values are numbers of labels."""

    meaning: ValueLabels

    def item(self, pair: Pair) -> Item:
        true = self._map(pair.groundtruth, self.meaning.groundtruth)
        predicted = self._map(pair.prediction, self.meaning.prediction)
        check_shapes(pair.groundtruth, pair.prediction, true, predicted)
        return pair.uid, true, predicted

    def _map(self, path: Path | None, legend: Legend) -> LabelImage | None:
        return (
            None if path is None else LabelImage(ImageInMemory(self._image(path, legend)), legend)
        )

    def _image(self, path: Path, legend: Legend) -> Image:
        return label_image(path, _REMEDY)


@frozen(eq=False)
class _ColorImages(_Images):
    """Images whose colors are mapped to labels."""

    palette: Palette
    tables: dict[int, Image]

    @classmethod
    def of(cls, palette: Palette) -> _ColorImages:
        return cls(palette.meaning, palette, {})

    def _image(self, path: Path, legend: Legend) -> Image:
        if id(legend) not in self.tables:
            self.tables[id(legend)] = self.palette.numbers(legend)
        colors = color_image(path)
        values: Image = self.tables[id(legend)][colors]
        unknown = values == len(self.palette.colors)
        if unknown.any():
            raise _unknown_color(path, colors[unknown], np.argwhere(unknown)[0])
        return values


def _unknown_color(path: Path, colors: Image, position: Image) -> ReadError:
    row, column = position.tolist()
    kinds = len(np.unique(colors))
    return ReadError(
        f"{path}, row {row}, column {column}: expected a color of data.palette, found "
        f"{hex_color(int(colors[0]))} ({colors.size:,} pixels have {kinds:,} unknown "
        f"{'color' if kinds == 1 else 'colors'})",
        "Add it to data.palette, with null if it is background.",
    )


def _found_item(found: FoundLabels, pair: Pair) -> tuple[Item, tuple[Label, ...]]:
    """Read both images of a pair, and name their labels by their values."""
    true, predicted = (
        None if path is None else ImageInMemory(label_image(path, _REMEDY))
        for path in (pair.groundtruth, pair.prediction)
    )
    meaning = found.labels_of(values_of(true, predicted), f"image {pair.uid!r}")
    sides = (
        None if true is None else LabelImage(true, meaning.groundtruth),
        None if predicted is None else LabelImage(predicted, meaning.prediction),
    )
    check_shapes(pair.groundtruth, pair.prediction, *sides)
    return (pair.uid, *sides), meaning.labels


def _in_parallel(read: Callable[[Pair], _Read], pairs: Sequence[Pair]) -> Iterator[_Read]:
    """Read the images of pairs in parallel, one per thread."""
    step = thread_count()
    for start in range(0, len(pairs), step):
        yield from in_threads([partial(read, pair) for pair in pairs[start : start + step]])
