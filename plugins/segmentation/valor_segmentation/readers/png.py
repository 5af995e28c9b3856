"""Reader of label images in PNG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import frozen

from valor_core.errors import ReadError
from valor_core.kernels import in_threads, thread_count
from valor_core.schemas.segmentation import (
    Image,
    ImageInMemory,
    LabelImage,
    Legend,
    SegmentationBatch,
)
from valor_segmentation.parameters.readers.png import PngParameters
from valor_segmentation.readers.facts import described
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    batched,
    check_shapes,
    pairs_of,
    parts,
    values_of_some,
)
from valor_segmentation.readers.images import color_image, label_image
from valor_segmentation.readers.legends import (
    Palette,
    ResolvedName,
    check_one,
    hex_color,
    meaning_of,
)

_REMEDY = "Say under data.palette which color is which label."


@frozen
class PngReader:
    """Reads two folders of label images, matched by the names of their files.

    Pixels are gray levels, indices of a palette, or colors.

    Parameters
    ----------
    parameters : PngParameters
        Folders, and what values or colors mean.
    task : str
        Always ``"segmentation"``.
    """

    parameters: PngParameters
    task: str

    def __attrs_post_init__(self) -> None:
        self._images()  # a wrong parameter is found before any work is done

    def partitions(self) -> Sequence[Pairs]:
        """Some images each."""
        chosen = self.parameters
        endings = ([chosen.groundtruth_ending], [chosen.prediction_ending])
        pairs = pairs_of(
            chosen.groundtruths, chosen.predictions, endings, chosen.missing, has_endings=True
        )
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """Batches of no more than a few images more than fit in some megabytes."""
        images = self._images()
        facts = {pair.uid: pair.facts for pair in partition.pairs}
        for items in batched(_items(images, partition.pairs)):
            yield batch_of(items, images.meaning.labels, [facts[str(item[0])] for item in items])

    def _images(self) -> _Images:
        chosen = self.parameters
        choices = {"labels": chosen.labels, "values": chosen.values, "palette": chosen.palette}
        check_one(choices, self._values)
        if chosen.palette:
            return _ColorImages.of(Palette.of(chosen.palette, chosen.ignore, chosen.label_key))
        strange = [value for value in chosen.ignore if isinstance(value, str)]
        if strange:
            raise ReadError(
                f"data.ignore: expected whole numbers, found {strange[0]!r}",
                "Colors are for images with a palette.",
            )
        ignore = [int(value) for value in chosen.ignore]
        return _Images(meaning_of(chosen.labels, chosen.values, ignore, chosen.label_key))

    def _values(self) -> set[int]:
        """Values in some of the images."""
        chosen = self.parameters
        sides = (
            (chosen.groundtruths, chosen.groundtruth_ending),
            (chosen.predictions, chosen.prediction_ending),
        )
        return set().union(
            *(values_of_some(label_image, folder, [ending]) for folder, ending in sides)
        )


@frozen(eq=False)
class _Images:
    """Images whose values are numbers of labels."""

    meaning: ResolvedName

    def item(self, pair: Pair) -> Item:
        true = self._map(pair.groundtruth, self.meaning.groundtruth)
        seen = self._map(pair.prediction, self.meaning.prediction)
        check_shapes(pair.groundtruth, pair.prediction, true, seen)
        return pair.uid, true, seen

    def _map(self, path: Path | None, legend: Legend) -> LabelImage | None:
        return (
            None if path is None else LabelImage(ImageInMemory(self._image(path, legend)), legend)
        )

    def _image(self, path: Path, legend: Legend) -> Image:
        return label_image(path, _REMEDY)


@frozen(eq=False)
class _ColorImages(_Images):
    """Images whose colors stand for labels."""

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


def _unknown_color(path: Path, colors: Image, place: Image) -> ReadError:
    row, column = place.tolist()
    kinds = len(np.unique(colors))
    return ReadError(
        f"{path}, row {row}, column {column}: expected a color of data.palette, found "
        f"{hex_color(int(colors[0]))} ({colors.size:,} pixels have {kinds:,} unknown "
        f"{'color' if kinds == 1 else 'colors'})",
        "Add it to data.palette, with null if it is background.",
    )


def _items(images: _Images, pairs: Sequence[Pair]) -> Iterator[Item]:
    """Images read side by side, as many at a time as there are threads."""
    step = thread_count()
    for start in range(0, len(pairs), step):
        yield from in_threads([partial(images.item, pair) for pair in pairs[start : start + step]])
