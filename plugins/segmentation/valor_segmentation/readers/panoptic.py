"""Panoptic label images: PNG images of segment ids, and records of the segments."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from valor_files import file_below

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, LabelImage, Legend
from valor_segmentation.readers.documents import Annotation
from valor_segmentation.readers.png import color_image

_BLOCK = 1 << 20  # pixels

Segment = tuple[int, int, bool]
"""Id, label code, and whether it is a crowd."""


def panoptic_map(
    annotation: Annotation, folder: Path, codes: Mapping[int, int], *, is_true: bool
) -> tuple[LabelImage, int]:
    """Label image with one value per segment, and number of true segments without pixels.

    Pixels of the id 0 belong to no segment: in a ground truth they do not count, in a prediction
    they are background. True segments without pixels are missed, unless they are crowds.

    Parameters
    ----------
    annotation : Annotation
        File name and segments.
    folder : Path
        Folder of the image.
    codes : mapping of int to int
        Label codes of the categories.
    is_true : bool
        Whether it is a ground truth.

    Raises
    ------
    ReadError
        If the record of a segment is missing or invalid, or a predicted segment has no pixels;
        names the location.
    """
    segments = sorted(_segments(annotation, codes))
    ids = np.array([0, *(number for number, _, _ in segments)], np.uint32)
    path = image_path(annotation, folder)
    colors = color_image(path)
    values, has_pixels = _positions(ids, colors)
    _check_known(ids[values] != colors, colors, path, annotation)
    if not is_true and not has_pixels.all():
        _refuse_absent(ids[~has_pixels].tolist(), path, annotation)
    absent = sum(not crowd for _, _, crowd in itertools.compress(segments, ~has_pixels[1:]))
    legend = Legend(
        np.arange(len(ids)),
        [IGNORED if is_true else BACKGROUND, *(code for _, code, _ in segments)],
        [False, *(crowd for _, _, crowd in segments)],
        listed=True,
    )
    return LabelImage(values, legend), absent


def _positions(
    ids: NDArray[np.uint32], colors: NDArray[np.uint32]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Position of the id of each pixel, 0 for unknown ids, and flags of ids with pixels."""
    values = np.zeros(colors.shape, np.min_scalar_type(len(ids)))
    has_pixels = np.zeros(len(ids), np.bool_)
    has_pixels[0] = True
    step = max(1, _BLOCK // max(1, colors.shape[1]))
    for first in range(0, len(colors), step):  # positions take eight bytes each
        found = np.searchsorted(ids, colors[first : first + step])
        found[found == len(ids)] = 0
        values[first : first + step] = found
        has_pixels[found] = True
    return values, has_pixels


def _refuse_absent(numbers: Sequence[int], path: Path, annotation: Annotation) -> None:
    records = [one["id"] for one in annotation.record["segments_info"]]
    raise ReadError(
        f"{annotation.where}, segments_info[{records.index(numbers[0])}]: expected a segment with "
        f"pixels in {path}, found none of the id {numbers[0]}{and_more(len(numbers) - 1)}",
        "Delete predicted segments without pixels from segments_info.",
    )


def _segments(annotation: Annotation, codes: Mapping[int, int]) -> list[Segment]:
    records = annotation.record.get("segments_info")
    if not isinstance(records, list):
        raise ReadError(
            f"{annotation.where}, segments_info: expected a list, found {short_repr(records)}"
        )
    found: dict[int, Segment] = {}
    for i, record in enumerate(records):
        segment = Annotation(f"{annotation.where}, segments_info", i, record)
        where = segment.where
        if not isinstance(record, dict):
            raise ReadError(f"{where}: expected a table of fields, found {short_repr(record)}")
        number = segment.integer("id")
        if number in found or not 0 < number < 1 << 24:
            raise ReadError(
                f"{where}, id: expected a distinct number from 1 to 16,777,215, found {number}"
            )
        code = code_of(segment.integer("category_id"), codes, where)
        crowd = record.get("iscrowd")
        if crowd not in (None, 0, 1):
            raise ReadError(f"{where}, iscrowd: expected 0 or 1, found {short_repr(crowd)}")
        found[number] = (number, code, bool(crowd))
    return list(found.values())


def code_of(category: int, codes: Mapping[int, int], where: str) -> int:
    """Label code of a category.

    Raises
    ------
    ReadError
        If the data set has no such category; names the location.

    Examples
    --------
    >>> code_of(7, {3: 0, 7: 1}, "a.json, annotations[0]")
    1
    """
    if category not in codes:
        raise ReadError(
            f"{where}, category_id: expected one of the {len(codes):,} categories of the ground "
            f"truths, found {category}"
        )
    return codes[category]


def image_path(annotation: Annotation, folder: Path) -> Path:
    """Path of the PNG image of an annotation.

    Raises
    ------
    ReadError
        If the annotation names no file, or one outside of the folder; names the annotation.

    Examples
    --------
    >>> annotation = Annotation("a.json, annotations", 0, {"file_name": "7.png"})
    >>> image_path(annotation, Path("images")).as_posix()
    'images/7.png'
    """
    name = annotation.record.get("file_name")
    if not isinstance(name, str) or not name or not _can_be_file(name):
        raise ReadError(f"{annotation.where}, file_name: expected a name, found {short_repr(name)}")
    path = file_below(folder, name)
    if path is None:
        raise ReadError(
            f"{annotation.where}, file_name: expected a file in {folder}, "
            f"found {short_repr(name)}, "
            "which leads out of it",
            "Copy the image into the folder, or set data.groundtruth_images or "
            "data.prediction_images to the folder that has it.",
        )
    return path


def _can_be_file(name: str) -> bool:
    """Return whether the system accepts a file of this name."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _check_known(
    unknown: NDArray[np.bool_], colors: NDArray[np.uint32], path: Path, annotation: Annotation
) -> None:
    if unknown.any():
        row, column = np.argwhere(unknown)[0].tolist()
        raise ReadError(
            f"{path}, row {row}, column {column}: expected the id of a segment of "
            f"{annotation.where}, found {colors[row, column]} ({int(unknown.sum()):,} pixels have "
            "unknown ids)",
            "Add the segment to segments_info, or write the pixels as 0 if they have none; the id "
            "of a color is red + 256 * green + 65536 * blue.",
        )
