"""Reader of label images in NumPy's files, read row by row if they are not compressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from valor_files import unreadable_error

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Label
from valor_core.schemas.segmentation import Image, LabelImage, Pixels, SegmentationBatch
from valor_core.schemas.segmentation.legends import highest
from valor_core.schemas.segmentation.pixels import ImageInMemory, remedy_for
from valor_segmentation.parameters.readers import NpyParameters
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    changed,
    check_shapes,
    described,
    files_of,
    pairs_of,
    parts,
    values_of,
    values_of_some,
)
from valor_segmentation.readers.legends import FoundLabels, ValueLabels, value_labels

_STRIP_PIXELS = 1 << 20
_ZIP = b"PK"


@frozen
class ArrayPixels:
    """Pixels of an .npy file, read on demand.

    Parameters
    ----------
    path : Path
        The file.
    shape : (int, int)
        Height and width.
    """

    path: Path
    shape: tuple[int, int]

    @property
    def strip_rows(self) -> int:
        """Number of rows with about a million pixels."""
        return max(1, min(self.shape[0], _STRIP_PIXELS // max(1, self.shape[1])))

    def read(self, first: int, last: int) -> Image:
        """Rows of the array.

        Raises
        ------
        ReadError
            If the file can no longer be read, or its shape has changed.
        """
        array = mapped(self.path)
        if array.shape != self.shape or array.dtype.kind not in "iu":
            raise changed(self.path, self.shape, short_repr(np.asarray(array)))
        return np.array(array[first:last], array.dtype.newbyteorder("="), order="C")


def array_pixels(path: Path, name: str, highest: int) -> Pixels:
    """Pixels of an .npy file, or of one array of an .npz file.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Name of the array in an .npz file with several.
    highest : int
        The highest value of a label.

    Raises
    ------
    ReadError
        If the file cannot be read or is not an image of whole numbers.
    """
    with _opened(path) as stream:
        if stream.read(2) == _ZIP:
            stream.seek(0)
            return ImageInMemory(_of_archive(stream, path, name, highest))
    array = mapped(path)
    _check_image(array, str(path), highest)
    if array.dtype == np.bool_:
        return ImageInMemory(np.array(array))
    height, width = array.shape
    return ArrayPixels(path, (height, width))


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable_error(path, error) from error


def mapped(path: Path) -> NDArray[Any]:
    """Map the array of an .npy file into memory.

    Raises
    ------
    ReadError
        If the file cannot be read.
    """
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise unreadable_error(path, error) from error
    except Exception as error:  # a damaged header makes NumPy raise any exception
        raise _broken(path, error) from error
    return array


def _of_archive(stream: BinaryIO, path: Path, name: str, highest: int) -> NDArray[Any]:
    try:
        with np.load(stream, allow_pickle=False) as archive:
            chosen = _chosen(archive.files, path, name)
            array: NDArray[Any] = archive[chosen]
    except ReadError:
        raise
    except Exception as error:  # zipfile and decompressors do too
        raise _broken(path, error) from error
    if not isinstance(array, np.ndarray):
        raise ReadError(f"{path}, {chosen}: expected an array as NumPy saves it, found other bytes")
    _check_image(array, f"{path}, {chosen}", highest)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _chosen(names: Sequence[str], path: Path, name: str) -> str:
    if name not in names and len(names) != 1:
        listed = ", ".join(map(repr, names[:5])) or "none"
        raise ReadError(
            f"{path}: expected an array {name!r}, found {listed}{and_more(len(names) - 5)}",
            "Set data.groundtruth_array and data.prediction_array to the names of the arrays.",
        )
    return name if name in names else names[0]


def _broken(path: Path, error: Exception) -> ReadError:
    found = str(error) or type(error).__name__
    return ReadError(f"{path}: expected an array as NumPy saves it, found: {found}")


def _check_image(array: NDArray[Any], where: str, highest: int) -> None:
    if array.ndim != 2 or array.dtype.kind not in "iub":
        raise ReadError(
            f"{where}: expected rows and columns of whole numbers, found "
            f"{short_repr(np.asarray(array))}",
            remedy_for(np.asarray(array)),
        )
    if array.dtype == np.bool_ and highest > 1:
        raise ReadError(
            f"{where}: expected whole numbers up to {highest} as in labels, found "
            f"{short_repr(np.asarray(array))}",
            "Save the number of each pixel's label, or set data.labels to one label.",
        )


_ENDINGS = (".npy", ".npz")


@frozen
class NpyReader:
    """Reader of two folders of arrays, or of one folder of archives with both sides in each.

    Parameters
    ----------
    parameters : NpyParameters
        Folders, names of arrays, and labels of values.
    task : str
        Always ``"segmentation"``.
    """

    parameters: NpyParameters
    task: str

    _labels: ValueLabels | FoundLabels = field(init=False, eq=False, repr=False)

    @_labels.default
    def _named(self) -> ValueLabels | FoundLabels:
        chosen = self.parameters
        named = value_labels(chosen.labels, chosen.values, chosen.ignore, chosen.label_key)
        if named is not None:
            return named
        return FoundLabels.of_sample(self._values(), chosen.ignore, chosen.label_key)

    def partitions(self) -> Sequence[Pairs]:
        """Return partitions of several images each."""
        chosen = self.parameters
        if chosen.predictions is None:
            files = files_of(chosen.groundtruths, [".npz"])
            pairs = [Pair(uid, path, path) for uid, path in files.items()]
        else:
            endings = (_ENDINGS, _ENDINGS)
            pairs = pairs_of(chosen.groundtruths, chosen.predictions, endings, chosen.missing)
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """Yield a batch for each image, since compressed arrays are read whole."""
        for pair in partition.pairs:
            item, labels = self._item(pair)
            yield batch_of([item], labels, [pair.facts])

    def _values(self) -> set[int]:
        """Values in a sample of the images."""
        chosen = self.parameters
        folders = filter(None, (chosen.groundtruths, chosen.predictions))
        return set().union(*(values_of_some(mapped, folder, [".npy"]) for folder in folders))

    def _item(self, pair: Pair) -> tuple[Item, tuple[Label, ...]]:
        chosen, meaning = self.parameters, self._labels
        most = highest(meaning.groundtruth) if isinstance(meaning, ValueLabels) else 1
        true = _pixels(pair.groundtruth, chosen.groundtruth_array, most)
        predicted = _pixels(pair.prediction, chosen.prediction_array, most)
        if isinstance(meaning, FoundLabels):
            meaning = meaning.labels_of(values_of(true, predicted), f"image {pair.uid!r}")
        sides = (
            None if true is None else LabelImage(true, meaning.groundtruth),
            None if predicted is None else LabelImage(predicted, meaning.prediction),
        )
        check_shapes(pair.groundtruth, pair.prediction, *sides)
        return (pair.uid, *sides), meaning.labels


def _pixels(path: Path | None, name: str, most: int) -> Pixels | None:
    return None if path is None else array_pixels(path, name, most)
