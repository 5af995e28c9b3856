"""Reader of KITTI's text files of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from unicodedata import normalize

import numpy as np
from attrs import frozen

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Shapes
from valor_detection.arrays.objects import Rows, batch_of_rows, checked_rows, upright
from valor_detection.parameters.readers import KittiParameters
from valor_detection.readers.folders import Files, ImageFiles, check_some, image_files
from valor_detection.readers.images import files_of
from valor_detection.readers.text_files import as_read_errors, numbers_of, text_of

CATEGORIES = ("Car", "Pedestrian", "Cyclist")
"""Evaluated categories."""

_CODES = {name.casefold(): code for code, name in enumerate(CATEGORIES)}
_NEIGHBOURS = {"van": _CODES["car"], "person_sitting": _CODES["pedestrian"]}
_AREA = "dontcare"
_OTHER = "not Car, Pedestrian or Cyclist"
_FIELDS = "type truncated occluded alpha x1 y1 x2 y2 h w l x y z rotation"
_TRUE_WIDTH = 15
_EXAMPLE = "Car 0.00 0 -1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"


@frozen
class Difficulty:
    """Limits of objects that a difficulty counts.

    Parameters
    ----------
    height : float
        Minimum height of boxes in pixels.
    occlusion : int
        Maximum level: 0 is visible, 1 partly and 2 largely occluded.
    truncation : float
        Maximum share outside of the image.
    """

    height: float
    occlusion: int
    truncation: float


DIFFICULTIES = {
    "easy": Difficulty(40, 0, 0.15),
    "moderate": Difficulty(25, 1, 0.3),
    "hard": Difficulty(25, 2, 0.5),
}
"""Limits by the name of the difficulty."""


@frozen
class KittiReader:
    """Reader of KITTI's object benchmark: the 2-D boxes of label files, one for each image.

    The objects are those of the development kit for one difficulty:

    - Car, Pedestrian and Cyclist are counted. Objects beyond the difficulty are ignored.
    - Van is an ignored Car, and Person_sitting an ignored Pedestrian.
    - DontCare is a crowd of each category: any number of predictions can match one, if the share of
      their area inside is above the IoU threshold.
    - Predictions lower than the minimum height are excluded, like other categories of both sides.

    Together with ``matching: kitti``, average precision deviates from the development kit where:

    - two objects of a category overlap more than the threshold. Here each prediction, by descending
      score, gets the best unmatched object; there each object, in the order of the file, gets the
      best unmatched prediction.
    - a prediction below the minimum height matches a counted object better or with a higher score
      than others do. There it can hide the object.
    - true and false positives have equal scores. Here they rank by the data, there they count
      together.

    Parameters
    ----------
    parameters : KittiParameters
        Folders and difficulty.
    task : str
        Always ``"detection"``.

    References
    ----------
    Geiger et al., "Are we ready for Autonomous Driving?", CVPR 2012; development kit of the object
    benchmark, ``evaluate_object.cpp``.
    """

    parameters: KittiParameters
    task: str

    def partitions(self) -> Sequence[ImageFiles]:
        """Split into ranges of images.

        Raises
        ------
        ReadError
            If an image lacks a file on one side.
        """
        chosen = self.parameters
        truths, results = (
            files_of(folder, [".txt"]) for folder in (chosen.groundtruths, chosen.predictions)
        )
        if chosen.images is not None:
            names = [normalize("NFC", name) for name in text_of(chosen.images).split()]
            truths = _listed(truths, names, chosen.images, chosen.groundtruths)
            results = _listed(results, names, chosen.images, chosen.predictions)
        _check_same(truths, results, chosen)
        parts = image_files(truths, results, {}, chosen.partition_images)
        check_some(parts, chosen.groundtruths, ".txt")
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """Read the batch of a partition.

        Raises
        ------
        ReadError
            If a file cannot be read, a line is invalid, or a box is rejected.
        """
        chosen = self.parameters
        limits = DIFFICULTIES[chosen.difficulty]
        true = [_File.read(path, _TRUE_WIDTH) for path in partition.groundtruths if path]
        seen = [_File.read(path, _TRUE_WIDTH + 1) for path in partition.predictions if path]
        truths, true_places, true_counts = _truths(true, limits, chosen)
        predictions, places, counts = _predictions(seen, limits, chosen)
        policy = chosen.invalid_geometry
        with as_read_errors():
            truths, more_true = checked_rows(
                truths, None, policy, "groundtruths", lambda row: _place(true, true_places[row])
            )
            predictions, more = checked_rows(
                predictions, None, policy, "predictions", lambda row: _place(seen, places[row])
            )
        yield batch_of_rows(
            Datums(list(partition.uids)),
            [Label(chosen.label_key, name) for name in CATEGORIES],
            truths,
            predictions,
            left_out={**true_counts, **counts, **more_true, **more},
        )


@frozen(eq=False)
class _File:
    """Objects of a file: line numbers, categories in lower case, and the numbers after them."""

    path: Path
    lines: list[int]
    categories: list[str]
    numbers: Floats

    @classmethod
    def read(cls, path: Path, width: int) -> _File:
        rows = [line.split() for line in text_of(path).splitlines()]
        lines = [count for count, fields in enumerate(rows, start=1) if fields]
        rows = [fields for fields in rows if fields]
        if set(map(len, rows)) - {width}:
            row = next(i for i, fields in enumerate(rows) if len(fields) != width)
            score = " score" if width > _TRUE_WIDTH else ""
            raise ReadError(
                f"{path}, line {lines[row]}: expected {width} fields, {_FIELDS}{score}, "
                f"found {len(rows[row])}: {short_repr(' '.join(rows[row]))}",
                f"Write: {_EXAMPLE}{' 0.9' if score else ''}",
            )
        return cls(
            path,
            lines,
            [fields[0].casefold() for fields in rows],
            numbers_of([fields[1:] for fields in rows], width - 1, path, lines),
        )


def _place(files: Sequence[_File], row: int) -> str:
    """Return the file and line of a row of all files."""
    for each in files:
        if row < len(each.lines):
            return f"{each.path}, line {each.lines[row]}"
        row -= len(each.lines)
    raise IndexError(row)


def _columns(files: Sequence[_File], width: int) -> tuple[list[str], Codes, Floats]:
    """Return categories, positions of images, and numbers of all files."""
    return (
        list(chain.from_iterable(each.categories for each in files)),
        np.repeat(np.arange(len(files)), [len(each.lines) for each in files]),
        np.concatenate([np.empty((0, width - 1)), *(each.numbers for each in files)]),
    )


def _truths(
    files: Sequence[_File], limits: Difficulty, chosen: KittiParameters
) -> tuple[Rows, Codes, dict[str, int]]:
    """Return ground truths, the row of each in the files, and counts of excluded ones."""
    categories, images, numbers = _columns(files, _TRUE_WIDTH)
    codes = _coded(categories, _CODES)
    neighbours = _coded(categories, _NEIGHBOURS)
    areas = np.flatnonzero(_coded(categories, {_AREA: 0}) == 0)
    objects = np.flatnonzero((codes >= 0) | (neighbours >= 0))
    # An area without annotations is one of every category.
    at = np.concatenate([objects, np.repeat(areas, len(CATEGORIES))])
    order = np.argsort(at, kind="stable")
    labels = np.concatenate(
        [np.maximum(codes, neighbours)[objects], np.tile(np.arange(len(CATEGORIES)), len(areas))]
    )
    truncation, occlusion, height = numbers[:, 0], numbers[:, 1], _heights(numbers)
    is_beyond = (
        (occlusion > limits.occlusion)
        | (truncation > limits.truncation)
        | (height < limits.height)
        | (neighbours >= 0)
    )
    is_area = np.arange(len(at)) >= len(objects)
    rows = Rows(
        images=images[at[order]],
        labels=labels[order],
        shapes=_shapes(numbers[at[order]], lambda row: _place(files, at[order][row]), chosen),
        crowd=is_area[order],
        ignored=(is_beyond[at] & ~is_area)[order],
    )
    others = len(categories) - len(objects) - len(areas)
    return rows, at[order], {f"groundtruths left out: {_OTHER}": others} if others else {}


def _predictions(
    files: Sequence[_File], limits: Difficulty, chosen: KittiParameters
) -> tuple[Rows, Codes, dict[str, int]]:
    """Return predictions, the row of each in the files, and counts of excluded ones."""
    categories, images, numbers = _columns(files, _TRUE_WIDTH + 1)
    codes = _coded(categories, _CODES)
    is_small = (codes >= 0) & (np.abs(_heights(numbers)) < limits.height)
    at = np.flatnonzero((codes >= 0) & ~is_small)
    rows = Rows(
        images=images[at],
        labels=codes[at],
        shapes=_shapes(numbers[at], lambda row: _place(files, at[row]), chosen),
        scores=numbers[at, -1],
    )
    counts = {
        f"predictions left out: {_OTHER}": int((codes < 0).sum()),
        f"predictions left out: lower than {limits.height} pixels": int(is_small.sum()),
    }
    return rows, at, {name: count for name, count in counts.items() if count}


def _coded(categories: Sequence[str], codes: dict[str, int]) -> Codes:
    return np.array([codes.get(name, -1) for name in categories], np.int64)


def _heights(numbers: Floats) -> Floats:
    with np.errstate(over="ignore"):
        heights: Floats = numbers[:, 6] - numbers[:, 4]
    return heights


def _shapes(numbers: Floats, where: Callable[[int], str], chosen: KittiParameters) -> Shapes:
    with as_read_errors():
        return Shapes(upright(numbers[:, 3:7], "xyxy", where, chosen.invalid_geometry))


def _listed(
    files: Mapping[str, Path], names: Sequence[str], images: Path, folder: Path
) -> dict[str, Path]:
    """Return the files of the images in a list."""
    missing = [name for name in names if name not in files]
    if missing:
        raise ReadError(
            f"{images}: expected images with a file in {folder}, found "
            f"{missing[0]!r}{and_more(len(missing) - 1)}",
            f"Add {missing[0]}.txt, which is empty for an image without objects.",
        )
    return {name: files[name] for name in names}


def _check_same(truths: Files, results: Files, chosen: KittiParameters) -> None:
    """Raise a `ReadError` if an image has a file on one side only."""
    sides = ((results, truths, chosen.groundtruths), (truths, results, chosen.predictions))
    for some, others, folder in sides:
        missing = sorted(set(some) - set(others))
        if missing:
            raise ReadError(
                f"{folder}: expected a file for each image of {some[missing[0]].parent}, found "
                f"none for {missing[0]!r}{and_more(len(missing) - 1)}",
                "List the images to evaluate, one name a line, and set images: val.txt. A file is "
                "empty for an image without objects.",
            )
