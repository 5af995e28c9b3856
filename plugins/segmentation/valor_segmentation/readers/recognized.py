"""Detection of label images: two folders or files, or two panoptic files of COCO."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from valor_files import Detected

from valor_segmentation.readers.file_pairs import values_of_some
from valor_segmentation.readers.legends import MASKS, are_masks, is_void
from valor_segmentation.readers.npy import mapped
from valor_segmentation.readers.png import label_image

_METRICS = ("mIOU", "IOU")
_READ = 1 << 20
_SEGMENTS = b'"segments_info"'


def png(files: Sequence[Path]) -> Detected | None:
    """Detect two folders with images in PNG, the ground truths first."""
    if not _have(files, ".png"):
        return None
    return _two(files, *(values_of_some(label_image, file, [".png"]) for file in files))


def npy(files: Sequence[Path]) -> Detected | None:
    """Detect two folders with arrays in .npy or .npz, or two files of 2D arrays."""
    if _have(files, ".npy", ".npz"):
        return _two(files, *(values_of_some(mapped, file, [".npy"]) for file in files))
    are_files = len(files) == 2 and all(file.suffix.casefold() == ".npy" for file in files)
    return _two(files) if are_files and all(map(_is_image, files)) else None


def geotiff(files: Sequence[Path]) -> Detected | None:
    """Detect two folders of GeoTIFFs, or two files, the ground truths first."""
    suffixes = (".tif", ".tiff")
    are_files = len(files) == 2 and all(file.suffix.casefold() in suffixes for file in files)
    if not are_files and not _have(files, *suffixes):
        return None
    from valor_segmentation.readers.geotiff import labels_in_file

    return _two(files, *(values_of_some(labels_in_file, file, suffixes) for file in files))


def coco(files: Sequence[Path]) -> Detected | None:
    """Detect two panoptic files of COCO, the ground truths first."""
    if len(files) != 2 or files[0] == files[1] or not all(map(_has_segments, files)):
        return None
    groundtruths, predictions = map(str, files)
    return Detected(
        data={"groundtruths": groundtruths, "predictions": predictions},
        metrics=("PanopticQuality", "mIOU"),
    )


def _two(files: Sequence[Path], *samples: Collection[int]) -> Detected:
    """Detect ground truths and predictions, with the labels or ignored value of a sample."""
    groundtruths, predictions = map(str, files)
    data: dict[str, object] = {"groundtruths": groundtruths, "predictions": predictions}
    sides = [{*sample} - {0} for sample in samples]
    if are_masks(*sides):
        data["values"] = dict(MASKS)
    elif is_void(sorted(set().union(*sides))):
        data["ignore"] = [255]
    return Detected(data=data, metrics=_METRICS)


def _have(folders: Sequence[Path], *suffixes: str) -> bool:
    """Return whether two different folders have files of a kind, also in subfolders."""
    return len({*folders}) == 2 and all(
        folder.is_dir() and any(path.suffix.lower() in suffixes for path in folder.rglob("*"))
        for folder in folders
    )


def _is_image(file: Path) -> bool:
    """Return whether a file holds an array of two dimensions or more."""
    try:
        return bool(np.load(file, mmap_mode="r").ndim >= 2)
    except (OSError, ValueError, EOFError):
        return False


def _has_segments(file: Path) -> bool:
    """Return whether the beginning or the end of a JSON file names segments of pixels."""
    name = file.name.casefold()
    if not name.endswith((".json", ".json.gz")):
        return False
    try:
        if name.endswith(".gz"):
            with gzip.open(file) as packed:
                return _SEGMENTS in packed.read(_READ)
        with file.open("rb") as stream:
            head = stream.read(_READ)
            stream.seek(-min(_READ, file.stat().st_size), os.SEEK_END)
            return _SEGMENTS in head or _SEGMENTS in stream.read()
    except (OSError, EOFError, zlib.error):
        return False
