"""Reader of DOTA's text files of oriented boxes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import normalize

import numpy as np
from attrs import frozen

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Rings, Shapes
from valor_core.schemas.geometry.shapes import POLYGON
from valor_detection.arrays.objects import Rows, batch_of_rows, checked_rows
from valor_detection.parameters.readers import DotaParameters
from valor_detection.readers.folders import ImageFiles, check_some, image_files
from valor_detection.readers.images import files_of
from valor_detection.readers.text_files import as_read_errors, number_of, numbers_of, text_of

_COORDINATES = 8  # of four corners
_HEADER = re.compile(r"(imagesource|gsd|acquisition dates?)\s*:\s*(.*)", re.IGNORECASE)
_NOTHING = ("", "none", "null", "nan")
_RESULTS = "Task1_"
_CORNERS = "x1 y1 x2 y2 x3 y3 x4 y4"


@frozen
class DotaReader:
    """Reader of lines with four corners, in a file for each image or for each category.

    A line of ground truths has the corners, the category, and 1 for a difficult object. Header
    lines (``imagesource:``, ``gsd:``) become metadata of the image. A line of results, in a file
    such as ``Task1_ship.txt``, has the image, the score and the corners.

    Parameters
    ----------
    parameters : DotaParameters
        Folders and policy for difficult objects.
    task : str
        Always ``"detection"``.
    """

    parameters: DotaParameters
    task: str

    def partitions(self) -> Sequence[ImageFiles]:
        """Return one partition, because results are in one file for each category."""
        chosen = self.parameters
        truths = files_of(chosen.groundtruths, [".txt"])
        parts = image_files(truths, {}, {}, max(1, len(truths)))
        check_some(parts, chosen.groundtruths, ".txt")
        return parts

    def read(self, partition: ImageFiles) -> Iterator[DetectionBatch]:
        """Read the batch of a partition.

        Raises
        ------
        ReadError
            If a file cannot be read, a line is invalid, a result has an image without ground
            truths, or an outline is rejected.
        MissingExtraError
            If the repair of an outline needs shapely, which is not installed.
        """
        chosen = self.parameters
        images = [_Image.read(path) for path in partition.groundtruths if path is not None]
        results = [_Results.read(path) for path in files_of(chosen.predictions, [".txt"]).values()]
        true_names = [name for image in images for name in image.categories]
        names = sorted({*true_names, *(result.category for result in results)})
        labels = [Label(chosen.label_key, name) for name in names]
        codes = {name: code for code, name in enumerate(names)}
        difficult = np.array([flag for image in images for flag in image.difficult], bool)
        truths = Rows(
            images=np.repeat(np.arange(len(images)), [len(image.lines) for image in images]),
            labels=np.array([codes[name] for name in true_names], np.int64),
            shapes=_shapes([image.corners for image in images]),
            ignored=difficult & (chosen.difficult == "ignore"),
        )
        places = [image.place(row) for image in images for row in range(len(image.lines))]
        counts: dict[str, int] = {}
        if chosen.difficult == "skip" and difficult.any():
            kept = np.flatnonzero(~difficult)
            truths, places = truths.select(kept), [places[row] for row in kept.tolist()]
            counts["groundtruths left out: difficult"] = len(difficult) - len(kept)
        predictions = Rows(
            images=self._positions(results, partition.uids),
            labels=np.repeat(
                np.array([codes[result.category] for result in results], np.int64),
                [len(result.lines) for result in results],
            ),
            shapes=_shapes([result.corners for result in results]),
            scores=np.concatenate([np.empty(0), *(result.scores for result in results)]),
        )
        starts = np.cumsum([0, *(len(result.lines) for result in results)])

        def place(row: int) -> str:
            part = int(np.searchsorted(starts, row, side="right")) - 1
            return results[part].place(row - int(starts[part]))

        policy = chosen.invalid_geometry
        with as_read_errors():
            truths, true_counts = checked_rows(
                truths, None, policy, "groundtruths", places.__getitem__
            )
            predictions, result_counts = checked_rows(
                predictions, None, policy, "predictions", place
            )
        yield batch_of_rows(
            Datums(list(partition.uids), _metadata(images)),
            labels,
            truths,
            predictions,
            left_out={**counts, **true_counts, **result_counts},
        )

    def _positions(self, results: Sequence[_Results], uids: Sequence[str]) -> Codes:
        """Return the position of the image of each result."""
        positions = {uid: position for position, uid in enumerate(uids)}
        found = [np.empty(0, np.int64)]
        for result in results:
            column = np.array([positions.get(uid, -1) for uid in result.images], np.int64)
            missing = np.flatnonzero(column < 0)
            if len(missing):
                uid = result.images[missing[0]]
                stem = Path(uid).stem
                raise ReadError(
                    f"{result.place(int(missing[0]))}: expected one of the {len(uids):,} images "
                    f"of {self.parameters.groundtruths}, found {uid!r}{and_more(len(missing) - 1)}",
                    f"Write the name without its suffix: {stem}"
                    if stem in positions
                    else "Add its file of ground truths, which is empty for an image without "
                    f"objects: {uid}.txt",
                )
            found.append(column)
        return np.concatenate(found)


@frozen(eq=False)
class _Image:
    """Ground truths of a file."""

    path: Path
    lines: list[int]
    corners: Floats
    categories: list[str]
    difficult: list[bool]
    facts: dict[str, str | float | None]

    @classmethod
    def read(cls, path: Path) -> _Image:
        lines: list[int] = []
        objects: list[list[str]] = []
        facts: dict[str, str | float | None] = {}
        for count, line in enumerate(text_of(path).splitlines(), start=1):
            header = _HEADER.fullmatch(line.strip())
            if header and not objects:
                name, value = header[1].casefold(), header[2].strip()
                if name in ("imagesource", "gsd"):
                    facts[name] = _fact(name, value, f"{path}, line {count}")
            elif fields := line.split():
                _check_true(fields, line, f"{path}, line {count}")
                lines.append(count)
                objects.append(fields)
        return cls(
            path,
            lines,
            numbers_of([fields[:_COORDINATES] for fields in objects], _COORDINATES, path, lines),
            [fields[_COORDINATES] for fields in objects],
            [fields[_COORDINATES + 1 :] not in ([], ["0"]) for fields in objects],
            facts,
        )

    def place(self, row: int) -> str:
        return f"{self.path}, line {self.lines[row]}"


def _check_true(fields: Sequence[str], line: str, where: str) -> None:
    if not _COORDINATES < len(fields) <= _COORDINATES + 2:
        raise ReadError(
            f"{where}: expected four corners, a category and 0 or 1 for difficult, "
            f"found {short_repr(line)}",
            f"Write: {_CORNERS} category difficult, such as 0 0 4 0 4 2 0 2 ship 0. Names of "
            "categories have no spaces.",
        )
    if len(fields) == _COORDINATES + 2 and not fields[-1].isdecimal():
        raise ReadError(
            f"{where}: expected 0 or 1 for difficult, found {short_repr(fields[-1])}",
            f"End the line with 1 for a difficult object, otherwise with 0: {_CORNERS} "
            f"{fields[_COORDINATES]} 0",
        )


def _fact(name: str, value: str, where: str) -> str | float | None:
    """Return the metadata of a header line; None if it has no value."""
    if value.casefold() in _NOTHING:
        return None
    if name == "imagesource":
        return value
    try:
        return number_of(value)
    except ValueError as error:
        raise ReadError(
            f"{where}: expected a number of meters per pixel, found {short_repr(value)}",
            "Write gsd:null if it is unknown.",
        ) from error


@frozen(eq=False)
class _Results:
    """Results of a category."""

    path: Path
    category: str
    lines: list[int]
    images: list[str]
    scores: Floats
    corners: Floats

    @classmethod
    def read(cls, path: Path) -> _Results:
        rows = [line.split() for line in text_of(path).splitlines()]
        lines = [count for count, fields in enumerate(rows, start=1) if fields]
        rows = [fields for fields in rows if fields]
        if set(map(len, rows)) - {_COORDINATES + 2}:
            row = next(i for i, fields in enumerate(rows) if len(fields) != _COORDINATES + 2)
            raise ReadError(
                f"{path}, line {lines[row]}: expected an image, a score and four corners, "
                f"found {short_repr(' '.join(rows[row]))}",
                f"Write: image score {_CORNERS}, in a file for each category such as "
                f"{_RESULTS}ship.txt.",
            )
        numbers = numbers_of([fields[1:] for fields in rows], _COORDINATES + 1, path, lines)
        return cls(
            path,
            path.stem.removeprefix(_RESULTS),
            lines,
            [normalize("NFC", fields[0]) for fields in rows],
            numbers[:, 0],
            numbers[:, 1:],
        )

    def place(self, row: int) -> str:
        return f"{self.path}, line {self.lines[row]}"


def _shapes(parts: Sequence[Floats]) -> Shapes:
    """Return the polygons of rows of four corners."""
    corners = np.concatenate([np.empty((0, _COORDINATES)), *parts]).reshape(-1, 4, 2)
    with np.errstate(over="ignore"):
        first = corners.min(axis=1, initial=math.inf)
        boxes = np.concatenate([first, corners.max(axis=1, initial=-math.inf) - first], axis=1)
    count = np.arange(len(corners) + 1)
    rings = Rings(corners.reshape(-1, 2), 4 * count, count, count)
    return Shapes(boxes, np.full(len(corners), POLYGON, np.uint8), rings)


def _metadata(images: Sequence[_Image]) -> dict[str, list[str | float | None]]:
    """Return the header values of all images by name."""
    names = [name for name in ("imagesource", "gsd") if any(name in one.facts for one in images)]
    return {name: [image.facts.get(name) for image in images] for name in names}
