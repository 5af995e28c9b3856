"""Reader of the tables of the Open Images challenge."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from unicodedata import normalize

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray
from valor_files import Table, TableSource, read_table

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Datums, Label, Vocabulary
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Shapes
from valor_core.schemas.geometry.shapes import ends, gathered
from valor_detection.arrays.objects import (
    Rows,
    batch_of_rows,
    checked_rows,
    positions_in_images,
    upright,
)
from valor_detection.parameters.open_images import OpenImagesParameters
from valor_detection.readers.hierarchy import Hierarchy
from valor_detection.readers.images import ImageTable
from valor_detection.readers.tables import BoxTables
from valor_detection.readers.text_files import as_read_errors, text_of

_IMAGE, _LABEL, _SCORE, _GROUP, _CONFIDENCE = (
    "ImageID",
    "LabelName",
    "Score",
    "IsGroupOf",
    "Confidence",
)
_EDGES = ("XMin", "YMin", "XMax", "YMax")


@frozen
class OpenImagesReader:
    """Reader of boxes and verified labels of images, in the columns of Open Images.

    Boxes that surround a group of objects become crowds. Verified labels, and the labels of the
    true boxes of an image, are its searched labels. With a hierarchy, true boxes and labels that
    are present also have the labels above, and labels that are absent exclude the labels below, as
    in TensorFlow's object detection API. A box counts once for an ancestor, even if two ways lead
    there. Predictions are not expanded.

    Parameters
    ----------
    parameters : OpenImagesParameters
        Tables, hierarchy and names.
    task : str
        Always ``"detection"``.

    References
    ----------
    Kuznetsova et al., "The Open Images Dataset V4", IJCV 128, 2020, section 5.
    """

    parameters: OpenImagesParameters
    task: str

    def partitions(self) -> Sequence[BoxTables]:
        """Return one partition with all tables: rows of an image can be anywhere."""
        chosen = self.parameters
        sources: tuple[TableSource | None, ...] = (
            chosen.groundtruths,
            chosen.predictions,
            chosen.image_labels,
            chosen.images,
        )
        return (BoxTables(tuple(one for one in sources if isinstance(one, Path))),)

    def read(self, partition: BoxTables) -> Iterator[DetectionBatch]:
        """Read the only batch.

        Raises
        ------
        ReadError
            If a table cannot be read or lacks a column, a label is not in the hierarchy, a flag is
            neither 0 nor 1, an image has no size in the table of images, or a box is rejected.
        """
        chosen = self.parameters
        hierarchy = None if chosen.hierarchy is None else Hierarchy.read(chosen.hierarchy)
        tables = [read_table(chosen.groundtruths), read_table(chosen.predictions)]
        verified = None if chosen.image_labels is None else read_table(chosen.image_labels)
        images = _Numbers()
        table = None if chosen.images is None else ImageTable.read(chosen.images, _IMAGE)
        if table is not None:
            images.add(table.uids)
        positions = [images.of(one) for one in tables]
        verified_images = None if verified is None else images.of(verified)
        sizes = None
        if table is not None and chosen.images is not None:
            sizes = table.sizes_of(images.uids, chosen.images)
        labels = _Labels(hierarchy, Vocabulary(), chosen.label_key, _names(chosen.names))
        sides = [
            self._checked(*each, sizes, labels)
            for each in zip(("groundtruths", "predictions"), tables, positions, strict=True)
        ]
        (truths, true_counts), (predictions, counts) = sides
        truths = labels.expand(truths, tables[0])
        searched = None
        if verified is not None and verified_images is not None:
            searched = labels.searched(verified, verified_images, truths)
        datums = Datums(images.uids, {} if table is None else table.facts)
        batch = batch_of_rows(
            datums,
            labels.labels,
            truths,
            predictions,
            sizes,
            left_out={**true_counts, **counts},
        )
        yield evolve(batch, searched=searched)

    def _checked(
        self, side: str, table: Table, images: Codes, sizes: Codes | None, labels: _Labels
    ) -> tuple[Rows, dict[str, int]]:
        """Return the rows accepted by the policy, and counts of excluded or repaired rows."""
        policy, where = self.parameters.invalid_geometry, partial(_where, table)
        edges = np.stack([table.floats(name) for name in _EDGES], axis=1).astype(np.float64)
        if sizes is not None:
            edges *= sizes[images][:, [1, 0, 1, 0]]
        is_true = side == "groundtruths"
        with as_read_errors():
            rows = Rows(
                images=images,
                labels=labels.of(table),
                shapes=Shapes(upright(edges, "xyxy", where, policy)),
                scores=None if is_true else table.floats(_SCORE),
                crowd=_flags(table, _GROUP) if is_true and table.has(_GROUP) else None,
            )
            return checked_rows(rows, sizes, policy, side, where)


@frozen
class _Numbers:
    """Positions of images by name, in order of appearance."""

    positions: dict[str, int] = field(factory=dict)

    @property
    def uids(self) -> list[str]:
        return list(self.positions)

    def add(self, uids: Sequence[str]) -> list[int]:
        """Return the positions of images; new ones come last."""
        normal = (uid if uid.isascii() else normalize("NFC", uid) for uid in uids)
        return [self.positions.setdefault(uid, len(self.positions)) for uid in normal]

    def of(self, table: Table) -> Codes:
        """Return the position of the image of each row."""
        codes, uids = table.categories(_IMAGE)
        return np.array(self.add(uids), np.int64)[codes]


@frozen(eq=False)
class _Labels:
    """Labels of a batch, and the labels that they imply.

    Codes are positions in `vocabulary`; names are those in the files.
    """

    hierarchy: Hierarchy | None
    vocabulary: Vocabulary
    key: str
    names: Mapping[str, str]
    codes: dict[str, int] = field(factory=dict)

    @property
    def labels(self) -> Sequence[Label]:
        return self.vocabulary.labels

    def code(self, name: str) -> int:
        """Return the code of a label.

        Raises
        ------
        ReadError
            If another label has the same display name.
        """
        found = self.codes.get(name)
        if found is not None:
            return found
        shown = self.names.get(name, name)
        code = self.vocabulary.code(Label(self.key, shown))
        if code in self.codes.values():
            other = next(one for one, number in self.codes.items() if number == code)
            raise ReadError(
                f"data.names: expected different names for {other!r} and {name!r}, found {shown!r}",
                "Omit data.names to use the names of the tables.",
            )
        self.codes[name] = code
        return code

    def of(self, table: Table) -> Codes:
        """Return the code of the label of each row."""
        codes, names = table.categories(_LABEL)
        if self.hierarchy is not None:
            self._check(table, codes, names)
        return np.array([self.code(name) for name in names], np.int64)[codes]

    def _check(self, table: Table, codes: Codes, names: Sequence[str]) -> None:
        assert self.hierarchy is not None
        unknown = [i for i, name in enumerate(names) if name not in self.hierarchy.ancestors]
        if unknown:
            row = int(np.argmax(codes == unknown[0]))
            raise ReadError(
                f"{table.place(row, _LABEL)}: expected one of the "
                f"{len(self.hierarchy.ancestors):,} labels of {self.hierarchy.source}, found "
                f"{short_repr(names[unknown[0]])}{and_more(len(unknown) - 1)}"
            )

    def expand(self, rows: Rows, table: Table) -> Rows:
        """Return a row for each label that an object implies."""
        if self.hierarchy is None:
            return rows
        repeats, labels = self._implied(rows.labels, self.hierarchy.ancestors.__getitem__)
        positions = rows.annotations
        if positions is None:
            positions = positions_in_images(rows.images)
        return evolve(
            rows,
            images=rows.images[repeats],
            labels=labels,
            shapes=rows.shapes.select(repeats),
            crowd=None if rows.crowd is None else rows.crowd[repeats],
            areas=None if rows.areas is None else rows.areas[repeats],
            annotations=positions[repeats],
        )

    def _implied(
        self, labels: Codes, implied: Callable[[str], Sequence[str]]
    ) -> tuple[Codes, Codes]:
        """Return rows, repeated for every label that theirs implies, and these labels."""
        names = {code: name for name, code in self.codes.items()}
        used = np.unique(labels)
        lists = [[code, *map(self.code, implied(names[code]))] for code in used.tolist()]
        starts = ends([len(each) for each in lists])
        flat = np.array([code for each in lists for code in each], np.int64)
        chosen, offsets = gathered(starts, np.searchsorted(used, labels))
        return np.repeat(np.arange(len(labels)), np.diff(offsets)), flat[chosen]

    def searched(self, verified: Table, images: Codes, truths: Rows) -> Codes:
        """Return pairs of an image and a label that is verified or has a true box, ascending."""
        labels, is_present = self.of(verified), _flags(verified, _CONFIDENCE)
        parts = [(truths.images, truths.labels)]
        if self.hierarchy is None:
            parts.append((images, labels))
        else:
            above, below = self.hierarchy.ancestors, self.hierarchy.descendants
            for rows, implied in (
                (np.flatnonzero(is_present), above.__getitem__),
                (np.flatnonzero(~is_present), below.__getitem__),
            ):
                repeats, codes = self._implied(labels[rows], implied)
                parts.append((images[rows][repeats], codes))
        width = len(self.labels)
        pairs = np.unique(np.concatenate([images * width + codes for images, codes in parts]))
        return np.column_stack(np.divmod(pairs, width))


def _flags(table: Table, name: str) -> NDArray[np.bool_]:
    """Return a column of 0 and 1."""
    numbers = table.floats(name)
    bad = np.flatnonzero((numbers != 0) & (numbers != 1))
    if len(bad):
        raise ReadError(
            f"{table.place(int(bad[0]), name)}: expected 0 or 1, found {numbers[bad[0]]:g}"
            f"{and_more(len(bad) - 1)}",
            "Select the rows that people verified, whose flags are 0 or 1.",
        )
    is_set: NDArray[np.bool_] = numbers == 1
    return is_set


def _names(path: Path | None) -> dict[str, str]:
    """Read display names: lines of a label and its name, with or without a header."""
    if path is None:
        return {}
    rows = [row for row in csv.reader(text_of(path).splitlines()) if row]
    if rows and rows[0] == [_LABEL, "DisplayName"]:
        rows = rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(row):
            raise ReadError(
                f"{path}, row {number}: expected a label and its name, found {short_repr(row)}",
                "Use the file of the data set, such as class-descriptions-boxable.csv.",
            )
    return dict(rows)


def _where(table: Table, row: int) -> str:
    return f"{table.source}, {table.unit} {table.row(row)}"
