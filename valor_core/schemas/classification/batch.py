"""Classification items and batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from valor_core.errors import SchemaError, and_more
from valor_core.schemas.batch import Batch, FileRow, first_places
from valor_core.schemas.classification.scores import ScoreList, ScoreMatrix
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    check_codes,
    datum_codes,
    is_ascending,
    label_codes,
    numbers,
    recoded,
    rows_of_datums,
    shifted,
    with_copies,
)
from valor_core.schemas.datum import Datum, Datums, listed, metadata_field, uid_field
from valor_core.schemas.label import (
    Label,
    Vocabulary,
    as_labels,
    as_scored_labels,
    check_finite_scores,
    distinct_labels,
)
from valor_core.schemas.pairing import LabelSides, sides_of


def _scored_labels(value: Any) -> tuple[tuple[Label, float], ...]:
    return () if value is None else as_scored_labels(value, "predictions")


@frozen
class Classification:
    """One classified item: true labels, and predicted labels with scores.

    Parameters
    ----------
    uid : str or int
        Unique name in the data set.
    groundtruths : label or sequence of labels
        True labels: one per label key, or several (multilabel). A bare string is a value with the
        key ``class``; a (key, value) pair must be inside a list.
    predictions : mapping of label to score, or sequence of (label, score)
        Predicted labels in the order that breaks ties. A label that is not listed ranks below all
        listed ones and passes no threshold.
    metadata : mapping of str to value, optional
        Fields for slices and filters.

    Examples
    --------
    >>> item = Classification("img_7", "dog", {"dog": 0.75, "cat": 0.25})
    >>> item.groundtruths
    (Label(key='class', value='dog'),)
    """

    task: ClassVar[str] = "classification"

    uid: str | int = uid_field()
    groundtruths: tuple[Label, ...] = field(converter=as_labels, default=())
    predictions: tuple[tuple[Label, float], ...] = field(converter=_scored_labels, default=())
    metadata: Mapping[str, Any] = metadata_field()


@frozen(repr=False)
class ClassificationBatch(Batch):
    """Columns of classified items.

    Parameters
    ----------
    datums : Datums
        Uids and metadata.
    labels : tuple of Label
        Vocabulary of the batch. Codes are positions in it.
    truth_datums, truth_labels : ndarray of int64, shape (n_truths,)
        Datum position (ascending) and label code of every ground truth, without duplicates.
    scores : ScoreMatrix or ScoreList
        The predictions.
    left_out : mapping of str to int
        Number of excluded or unusual rows by description. The report prints both.
    first_left_out : mapping of str to (str, int)
        First file and row of each description.

    Attributes
    ----------
    single : bool
        Whether every datum has at most one ground truth.

    Raises
    ------
    SchemaError
        If lengths, codes or order are wrong, or an item has a label twice. The message names the
        item.

    Examples
    --------
    >>> batch = ClassificationBatch.of([Classification("a", "dog", {"dog": 0.75, "cat": 0.25})])
    >>> batch.labels[batch.truth_labels[0]].value, batch.scores.values
    ('dog', array([0.75, 0.25]))
    """

    task: ClassVar[str] = "classification"

    datums: Datums
    labels: tuple[Label, ...] = field(converter=distinct_labels)
    truth_datums: Codes = field(eq=BY_CONTENT, converter=datum_codes)
    truth_labels: Codes = field(eq=BY_CONTENT, converter=label_codes)
    scores: ScoreMatrix | ScoreList
    left_out: Mapping[str, int] = field(factory=dict)
    first_left_out: Mapping[str, FileRow] = field(factory=dict)
    single: bool = field(init=False, eq=False, repr=False)

    @single.default
    def _is_single(self) -> bool:
        return self._truths_are_datums or is_ascending(self.truth_datums, strictly=True)

    @property
    def _truths_are_datums(self) -> bool:
        """True if every datum has exactly one truth, in order; checks are skipped then."""
        return self.truth_datums is self.datums.uids and self.datums.from_zero

    def __attrs_post_init__(self) -> None:
        if len(self.truth_datums) != len(self.truth_labels):
            raise SchemaError(
                f"groundtruths: expected columns of equal length, got {len(self.truth_datums):,} "
                f"datums and {len(self.truth_labels):,} labels"
            )
        if not (self.single or is_ascending(self.truth_datums)):
            raise SchemaError("groundtruths: expected rows sorted by datum")
        if not self._truths_are_datums:
            check_codes(self.truth_datums, len(self), "truth_datums", "datums")
        check_codes(self.truth_labels, len(self.labels), "truth_labels", "labels")
        check_codes(self.scores.labels, len(self.labels), "score labels", "labels")
        if not self.single:
            self._check_once(self.truth_datums, self.truth_labels, "groundtruths")
        if isinstance(self.scores, ScoreMatrix):
            if len(self.scores.values) != len(self):
                raise SchemaError(
                    f"scores: expected {len(self):,} rows, got {len(self.scores.values):,}"
                )
            return
        check_codes(self.scores.datums, len(self), "score datums", "datums")
        self._check_once(self.scores.datums, self.scores.labels, "predictions")

    @classmethod
    def of(cls, items: Iterable[Classification]) -> ClassificationBatch:
        """Convert objects to columns.

        Raises
        ------
        SchemaError
            If an item has a label twice or a score is not finite. The message names item and field.
        """
        items = listed(items, Classification)
        for item in items:
            check_finite_scores(item.predictions, f"item {item.uid!r}, predictions")
        vocabulary = Vocabulary()
        truths = [(i, label) for i, item in enumerate(items) for label in item.groundtruths]
        scored = [(i, *pair) for i, item in enumerate(items) for pair in item.predictions]
        truth_labels = vocabulary.join(label for _, label in truths)
        score_labels = vocabulary.join(label for _, label, _ in scored)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            vocabulary.labels,
            [i for i, _ in truths],
            truth_labels,
            ScoreList([i for i, _, _ in scored], score_labels, [score for _, _, score in scored]),
        )

    @property
    def sides(self) -> set[str]:
        """Sides of the datums, as returned by `sides_of`."""
        scores = self.scores
        if isinstance(scores, ScoreList):
            return sides_of(self.truth_datums, scores.datums)
        # Every datum of a matrix has a prediction.
        return sides_of(self.truth_datums, numbers(len(self) if scores.values.size else 0))

    @property
    def label_sides(self) -> LabelSides:
        """Labels of the ground truths and of the predictions."""
        return LabelSides.of(self.labels, self.truth_labels, self.scores.labels)

    def select(self, positions: Codes) -> ClassificationBatch:
        """Return the datums at the given ascending positions."""
        rows, datums = rows_of_datums(self.truth_datums, positions)
        return ClassificationBatch(
            self.datums.select(positions),
            self.labels,
            datums,
            self.truth_labels[rows],
            self.scores.select(positions),
        )

    def relabel(self, renames: Mapping[Label, Label]) -> ClassificationBatch:
        """Return the data with renamed labels on both sides.

        Ground truths that become equal count once. Of predictions that become equal, the greater
        score is kept.
        """
        vocabulary = Vocabulary()
        renamed = vocabulary.join(renames.get(label, label) for label in self.labels)
        width = max(len(vocabulary), 1)
        pairs = np.unique(self.truth_datums * width + renamed[self.truth_labels])
        scores = self.scores
        return ClassificationBatch(
            self.datums,
            vocabulary.labels,
            pairs // width,
            pairs % width,
            scores.relabel(renamed[scores.labels])
            if isinstance(scores, ScoreMatrix)
            else scores.relabel(renamed),
        )

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes."""
        columns = (self.datums.uids, self.truth_datums, self.truth_labels, self.scores.values)
        return sum(column.nbytes for column in columns)

    def joins(self, other: ClassificationBatch) -> bool:
        """Return whether `joined` can concatenate this batch and another one."""
        same = isinstance(self.scores, ScoreList) or self.labels == other.labels
        return same and self.scores.joins(other.scores) and self.datums.joins(other.datums)

    @classmethod
    def joined(cls, batches: Sequence[ClassificationBatch]) -> ClassificationBatch:
        """Concatenate batches for which `joins` is true.

        Examples
        --------
        >>> one, two = (
        ...     ClassificationBatch.of([Classification(uid, "dog", {"dog": 0.75})]) for uid in "ab"
        ... )
        >>> ClassificationBatch.joined([one, two]).truth_datums
        array([0, 1])
        """
        starts = list(accumulate(map(len, batches), initial=0))
        vocabulary = Vocabulary()
        codes = [vocabulary.join(batch.labels) for batch in batches]
        scores: list[Any] = [batch.scores for batch in batches]
        return cls(
            Datums.joined([batch.datums for batch in batches]),
            vocabulary.labels,
            shifted([batch.truth_datums for batch in batches], starts),
            recoded([batch.truth_labels for batch in batches], codes),
            type(scores[0]).joined(scores, starts, codes),
            sum((Counter(batch.left_out) for batch in batches), Counter()),
            first_places(batch.first_left_out for batch in batches),
        )

    def detached(self) -> ClassificationBatch:
        """Return the same batch with copies of its arrays."""
        copied = with_copies(self, "truth_datums", "truth_labels")
        object.__setattr__(copied, "datums", self.datums.detached())
        object.__setattr__(copied, "scores", self.scores.detached())
        return copied

    def items(self) -> Iterator[Classification]:
        """Yield the items as objects."""
        truths = np.searchsorted(self.truth_datums, np.arange(len(self) + 1))
        for i in range(len(self)):
            datum = self.datums.at(i)
            true = [self.labels[code] for code in self.truth_labels[truths[i] : truths[i + 1]]]
            yield Classification(datum.uid, true, self._predictions(i), datum.metadata)

    def _predictions(self, position: int) -> list[tuple[Label, float]]:
        scores = self.scores
        if isinstance(scores, ScoreMatrix):
            listed, values = scores.labels, scores.values[position]
        else:
            first, last = np.searchsorted(scores.datums, (position, position + 1))
            listed, values = scores.labels[first:last], scores.values[first:last]
        return [(self.labels[c], float(v)) for c, v in zip(listed, values, strict=True)]

    def _check_once(self, datums: Codes, labels: Codes, side: str) -> None:
        if is_ascending(datums, strictly=True) or is_ascending(
            pairs := datums * len(self.labels) + labels, strictly=True
        ):
            return
        values, counts = np.unique(pairs, return_counts=True)
        twice = values[counts > 1]
        if len(twice):
            datum, label = divmod(int(twice[0]), len(self.labels))
            raise SchemaError(
                f"{self.datums.name(datum)}, {side}: expected each label once, "
                f"found {str(self.labels[label])!r} twice{and_more(len(twice) - 1)}"
            )
