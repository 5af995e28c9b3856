"""Scores of a classification batch, as a matrix or as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.columns import (
    BY_CONTENT,
    Checked,
    Codes,
    Floats,
    datum_codes,
    floats,
    is_ascending,
    label_codes,
    read_only,
    recoded,
    rows_of_datums,
    shifted,
    with_copies,
)


def _score_column(values: Any) -> Floats:
    return floats(values, "scores")


def _score_rows(values: Any) -> Floats:
    return floats(values, "scores", ndim=2)


@frozen(eq=False, repr=False)
class Tops:
    """Best score of each row of a matrix, and the first column that has it.

    Parameters
    ----------
    columns : ndarray of int32, shape (n,)
        Column indices.
    scores : ndarray of the type of the matrix, shape (n,)
        Best scores, with -0.0 replaced by 0.0.
    """

    columns: NDArray[np.int32]
    scores: Floats

    def select(self, positions: Codes) -> Tops:
        """Return the rows at the given positions.

        Examples
        --------
        >>> Tops(np.array([1, 0], np.int32), np.array([0.75, 0.5])).select(np.array([1])).scores
        array([0.5])
        """
        return Tops(self.columns[positions], self.scores[positions])

    @classmethod
    def joined(cls, parts: Sequence[Tops | None]) -> Tops | None:
        """Concatenate the best scores of matrices, or return None if one has none.

        Examples
        --------
        >>> Tops.joined([Tops(np.array([1], np.int32), np.array([0.75])), None]) is None
        True
        """
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        return cls(
            np.concatenate([part.columns for part in found]),
            np.concatenate([part.scores for part in found]),
        )


@frozen(repr=False)
class ScoreMatrix:
    """Scores of the same labels for every datum: one row per datum, one column per label.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n_datums, n_columns)
        Finite scores.
    labels : ndarray of int64, shape (n_columns,)
        Label code of every column, without duplicates.
    tops : Tops, optional
        Best score of every row, if found in the same pass as the check for finite values.
    """

    values: Floats = field(eq=BY_CONTENT, converter=_score_rows)
    labels: Codes = field(eq=BY_CONTENT, converter=label_codes)
    tops: Tops | None = field(default=None, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.values.shape[1] != len(self.labels):
            raise SchemaError(
                f"scores: expected {len(self.labels):,} columns, got {self.values.shape[1]:,}"
            )
        ascending = is_ascending(self.labels, strictly=True)
        if not ascending and len(np.unique(self.labels)) < len(self.labels):
            raise SchemaError("scores: expected one column per label, found a label twice")

    def select(self, positions: Codes) -> ScoreMatrix:
        """Return the rows at the given positions."""
        tops = None if self.tops is None else self.tops.select(positions)
        return ScoreMatrix(Checked(read_only(self.values[positions])), self.labels, tops)

    def relabel(self, renamed: Codes) -> ScoreMatrix:
        """Return the same scores with new label codes.

        Columns with equal codes are merged at the position of the first one, with the greatest
        score.
        """
        labels, first = np.unique(renamed, return_index=True)
        if len(labels) == len(renamed):
            return ScoreMatrix(Checked(self.values), renamed, self.tops)
        order = np.argsort(first)
        columns = [self.values[:, renamed == label].max(axis=1) for label in labels[order]]
        return ScoreMatrix(Checked(read_only(np.stack(columns, axis=1))), labels[order])

    def joins(self, other: ScoreMatrix | ScoreList) -> bool:
        """Return whether `joined` can concatenate this matrix and other scores."""
        return (
            isinstance(other, ScoreMatrix)
            and self.values.dtype == other.values.dtype
            and np.array_equal(self.labels, other.labels)
        )

    @classmethod
    def joined(
        cls, parts: Sequence[ScoreMatrix], starts: Sequence[int], codes: Sequence[Codes]
    ) -> ScoreMatrix:
        """Concatenate matrices for which `joins` is true, with the label codes of the first one."""
        values = np.concatenate([part.values for part in parts])
        tops = Tops.joined([part.tops for part in parts])
        return cls(Checked(read_only(values)), codes[0][parts[0].labels], tops)

    def detached(self) -> ScoreMatrix:
        """Return the same scores with copies of the arrays."""
        return with_copies(self, "values", "labels")


@frozen(repr=False)
class ScoreList:
    """Scores of the labels listed by each datum, as flat columns sorted by datum.

    Parameters
    ----------
    datums : ndarray of int64, shape (n_scores,)
        Position of the datum, ascending. Rows of a datum keep the order of the input.
    labels : ndarray of int64, shape (n_scores,)
        Label codes, without duplicates in a datum.
    values : ndarray of float32 or float64, shape (n_scores,)
        Finite scores.
    scored : bool
        Whether the model returned scores. If not, all values are 1.
    best_only : bool
        Whether only predicted labels have a score, which says nothing of the other labels.
    """

    datums: Codes = field(eq=BY_CONTENT, converter=datum_codes)
    labels: Codes = field(eq=BY_CONTENT, converter=label_codes)
    values: Floats = field(eq=BY_CONTENT, converter=_score_column)
    scored: bool = True
    best_only: bool = False

    def __attrs_post_init__(self) -> None:
        if not len(self.datums) == len(self.labels) == len(self.values):
            raise SchemaError(
                f"scores: expected columns of equal length, got {len(self.datums):,} datums, "
                f"{len(self.labels):,} labels and {len(self.values):,} scores"
            )
        if not is_ascending(self.datums):
            raise SchemaError("scores: expected rows sorted by datum")

    def select(self, positions: Codes) -> ScoreList:
        """Return the scores of the datums at the given positions, which are numbered anew."""
        rows, datums = rows_of_datums(self.datums, positions)
        return evolve(self, datums=datums, labels=self.labels[rows], values=self.values[rows])

    def relabel(self, renamed: Codes) -> ScoreList:
        """Return the same scores with new label codes.

        Labels of a datum with equal codes are merged at the position of the first one, with the
        greatest score.
        """
        labels = renamed[self.labels]
        order = np.lexsort((labels, self.datums))
        datums, sorted_labels = self.datums[order], labels[order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (np.diff(datums) != 0) | (np.diff(sorted_labels) != 0)
        first = np.flatnonzero(is_first)
        if not len(first):
            return evolve(self, labels=labels)
        values = np.maximum.reduceat(self.values[order], first)
        in_order = np.argsort(order[first])
        kept = order[first][in_order]
        return evolve(self, datums=self.datums[kept], labels=labels[kept], values=values[in_order])

    def joins(self, other: ScoreMatrix | ScoreList) -> bool:
        """Return whether `joined` can concatenate this list and other scores."""
        return (
            isinstance(other, ScoreList)
            and self.values.dtype == other.values.dtype
            and (self.scored, self.best_only) == (other.scored, other.best_only)
        )

    @classmethod
    def joined(
        cls, parts: Sequence[ScoreList], starts: Sequence[int], codes: Sequence[Codes]
    ) -> ScoreList:
        """Concatenate lists for which `joins` is true, shifting datums and mapping label codes."""
        return evolve(
            parts[0],
            datums=shifted([part.datums for part in parts], starts),
            labels=recoded([part.labels for part in parts], codes),
            values=Checked(read_only(np.concatenate([part.values for part in parts]))),
        )

    def detached(self) -> ScoreList:
        """Return the same scores with copies of the arrays."""
        return with_copies(self, "datums", "labels", "values")
