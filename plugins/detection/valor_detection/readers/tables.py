"""Reader of tables with one row per box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from unicodedata import normalize

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from valor_files import Table, cell_value, read_table

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.readers import Partition
from valor_core.schemas import Codes, Datums, Floats, Label, Vocabulary
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Shapes
from valor_detection.arrays.objects import Rows, batch_of_rows, checked_rows, upright
from valor_detection.parameters.tables import TableParameters
from valor_detection.readers.images import ImageTable
from valor_detection.readers.text_files import as_read_errors


@frozen
class BoxTables(Partition):
    """The only partition: rows of an image can be anywhere in a table."""

    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """Paths of the files."""
        return " and ".join(map(str, self.paths)) or "tables in memory"


@frozen
class TableReader:
    """Reader of rows with image, label, four box numbers and, for predictions, a score.

    Parameters
    ----------
    parameters : TableParameters
        Files, column names and box format.
    task : str
        Always ``"detection"``.
    """

    parameters: TableParameters
    task: str

    def __attrs_post_init__(self) -> None:
        if len(self.parameters.box) != 4:
            raise ReadError(
                f"data.box: expected the names of four columns, found {len(self.parameters.box)}"
            )

    def partitions(self) -> Sequence[BoxTables]:
        """Return one partition with all tables."""
        chosen = self.parameters
        paths = (chosen.groundtruths, chosen.predictions, chosen.images)
        return (BoxTables(tuple(path for path in paths if isinstance(path, Path))),)

    def read(self, partition: BoxTables) -> Iterator[DetectionBatch]:
        """Read the only batch.

        Raises
        ------
        ReadError
            If a table cannot be read or lacks a column, an image is missing in the table of images
            or has no size, or a box is rejected.
        """
        chosen = self.parameters
        images = None if chosen.images is None else ImageTable.read(chosen.images, chosen.uid)
        uids = [] if images is None else [normalize("NFC", uid) for uid in images.uids]
        numbers = {uid: i for i, uid in enumerate(uids)}
        tables = [read_table(chosen.groundtruths), read_table(chosen.predictions)]
        positions = [self._positions(table, numbers, images is not None) for table in tables]
        for i, table in enumerate(tables):
            objects = self._objects(table)
            if objects is not None:
                tables[i], positions[i] = _rows(table, objects), positions[i][objects]
        sizes = None if images is None else images.sizes
        vocabulary = Vocabulary()
        sides = [
            _Side(table, chosen, rows, sizes, vocabulary)
            for table, rows in zip(tables, positions, strict=True)
        ]
        truths, true_counts = sides[0].checked("groundtruths")
        predictions, counts = sides[1].checked("predictions")
        yield batch_of_rows(
            Datums(list(numbers), {} if images is None else images.facts),
            vocabulary.labels,
            truths,
            predictions,
            sizes,
            left_out={**true_counts, **counts, **_angles(tables)},
        )

    def _objects(self, table: Table) -> Codes | None:
        """Return the rows with an object; None if all rows have one."""
        chosen = self.parameters
        if not table.has(chosen.label):
            return None
        codes, labels = table.distinct(chosen.label)
        nameless = [code for code, label in enumerate(labels) if label is None]
        if not nameless or not all(table.has(name) for name in chosen.box):
            return None
        is_empty = np.isin(codes, nameless)
        for name in (*chosen.box, chosen.score):
            if table.has(name):
                cell_codes, cells = table.distinct(name)
                blank = [code for code, cell in enumerate(cells) if cell is None]
                is_empty &= np.isin(cell_codes, blank)
        return np.flatnonzero(~is_empty) if is_empty.any() else None

    def _positions(self, table: Table, numbers: dict[str, int], are_all: bool) -> Codes:
        """Return the position of the image of each row."""
        codes, uids = table.categories(self.parameters.uid)
        uids = [uid if uid.isascii() else normalize("NFC", uid) for uid in uids]
        if are_all:
            is_unknown = np.array([uid not in numbers for uid in uids], np.bool_)
            unknown = np.flatnonzero(is_unknown[codes]).tolist()
            if unknown:
                raise ReadError(
                    f"{table.place(unknown[0], self.parameters.uid)}: expected one of the "
                    f"{len(numbers):,} images of {self.parameters.images}, found "
                    f"{short_repr(uids[codes[unknown[0]]])}{and_more(len(unknown) - 1)}"
                )
        indices = [numbers.setdefault(uid, len(numbers)) for uid in uids]
        return np.array(indices, np.int64)[codes]


def _rows(table: Table, rows: Codes) -> Table:
    """Select rows of a table; keep their row numbers in the file."""
    columns = {}
    for name in table.names:
        codes, cells = table.distinct(name)
        columns[name] = [cells[code] for code in codes[rows].tolist()]
    return evolve(table, columns=columns, row_numbers=table.rows[rows])


def _angles(tables: Sequence[Table]) -> dict[str, int]:
    """Count rows with the angle of an oriented box, which is not read."""
    found: dict[str, int] = {}
    for side, table in zip(("groundtruths", "predictions"), tables, strict=True):
        for name in ("angle", "theta", "rotation", "angle_degrees"):
            if table.has(name):
                what = f"{side} with a column {name!r} that is not read: boxes are upright"
                codes, cells = table.distinct(name)
                turned = [
                    code for code, one in enumerate(cells) if cell_value(one) not in (None, 0)
                ]
                count = int(np.isin(codes, turned).sum())
                found |= {what: count} if count else {}
    return found


@frozen(eq=False)
class _Side:
    table: Table
    chosen: TableParameters
    images: Codes
    sizes: Codes | None
    vocabulary: Vocabulary

    def checked(self, side: str) -> tuple[Rows, dict[str, int]]:
        """Return the rows accepted by the policy, and counts of excluded or repaired rows."""
        chosen, is_true = self.chosen, side == "groundtruths"
        labels, boxes = self._labels(), self._boxes()
        scores = None if is_true else self.table.floats(chosen.score)
        crowd = self._crowd() if is_true and self.table.has(chosen.crowd) else None
        where = partial(_where, self.table)
        with as_read_errors():
            rows = Rows(
                images=self.images, labels=labels, shapes=Shapes(boxes), scores=scores, crowd=crowd
            )
            return checked_rows(rows, self.sizes, chosen.invalid_geometry, side, where)

    def _labels(self) -> Codes:
        codes, values = self.table.categories(self.chosen.label)
        label_codes = [
            self.vocabulary.code(Label(self.chosen.label_key, value)) for value in values
        ]
        return np.array(label_codes, np.int64)[codes]

    def _boxes(self) -> Floats:
        columns = [self.table.floats(name) for name in self.chosen.box]
        boxes = np.stack(columns, axis=1).astype(np.float64)
        if self.chosen.normalized:
            if self.sizes is None:
                raise ReadError(
                    "data.normalized: expected width and height of the images, found none",
                    "Set data.images to a table with uid, width and height.",
                )
            boxes *= self.sizes[self.images][:, [1, 0, 1, 0]]
        with as_read_errors():
            return upright(
                boxes,
                self.chosen.box_format,
                partial(_where, self.table),
                self.chosen.invalid_geometry,
            )

    def _crowd(self) -> NDArray[np.bool_]:
        codes, cells = self.table.distinct(self.chosen.crowd)
        values = [cell_value(cell) for cell in cells]
        for code, value in enumerate(values):
            if value not in (0, 1, None):
                row = int(np.argmax(codes == code))
                raise ReadError(
                    f"{self.table.place(row, self.chosen.crowd)}: expected true or false, "
                    f"found {short_repr(cells[code])}"
                )
        return np.array([bool(value) for value in values], np.bool_)[codes]


def _where(table: Table, row: int) -> str:
    return f"{table.source}, {table.unit} {table.row(row)}"
