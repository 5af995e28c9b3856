"""Reader of label images in NumPy's files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from attrs import frozen

from valor_core.schemas.segmentation import LabelImage, Legend, SegmentationBatch, highest
from valor_segmentation.parameters.readers.npy import NpyParameters
from valor_segmentation.readers.arrays import array_pixels
from valor_segmentation.readers.facts import described
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    check_shapes,
    files_of,
    pairs_of,
    parts,
    values_of_some,
)
from valor_segmentation.readers.legends import ResolvedName, meaning_of

_ENDINGS = (".npy", ".npz")


@frozen
class NpyReader:
    """Reads two folders of arrays, or one folder of archives with both sides in each.

    Parameters
    ----------
    parameters : NpyParameters
        Folders, names of arrays, and what values mean.
    task : str
        Always ``"segmentation"``.
    """

    parameters: NpyParameters
    task: str

    def __attrs_post_init__(self) -> None:
        self._meaning()  # a wrong parameter is found before any work is done

    def partitions(self) -> Sequence[Pairs]:
        """Some images each."""
        chosen = self.parameters
        if chosen.predictions is None:
            files = files_of(chosen.groundtruths, [".npz"])
            pairs = [Pair(uid, path, path) for uid, path in files.items()]
        else:
            endings = (_ENDINGS, _ENDINGS)
            pairs = pairs_of(chosen.groundtruths, chosen.predictions, endings, chosen.missing)
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """A batch for each image, since what is compressed is read as a whole."""
        meaning = self._meaning()
        for pair in partition.pairs:
            yield batch_of([self._item(pair, meaning)], meaning.labels, [pair.facts])

    def _meaning(self) -> ResolvedName:
        chosen = self.parameters
        return meaning_of(
            chosen.labels, chosen.values, chosen.ignore, chosen.label_key, self._values
        )

    def _values(self) -> set[int]:
        """Values in some of the images."""
        chosen = self.parameters
        read = partial(np.load, mmap_mode="r")
        folders = filter(None, (chosen.groundtruths, chosen.predictions))
        return set().union(*(values_of_some(read, folder, [".npy"]) for folder in folders))

    def _item(self, pair: Pair, meaning: ResolvedName) -> Item:
        chosen = self.parameters
        true = _map(pair.groundtruth, chosen.groundtruth_array, meaning.groundtruth)
        seen = _map(pair.prediction, chosen.prediction_array, meaning.prediction)
        check_shapes(pair.groundtruth, pair.prediction, true, seen)
        return pair.uid, true, seen


def _map(path: Path | None, name: str, legend: Legend) -> LabelImage | None:
    if path is None:
        return None
    return LabelImage(array_pixels(path, name, highest(legend)), legend)
