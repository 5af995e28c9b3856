"""Precision, recall and F1: shares of predicted and of true pixels that agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from attrs import evolve, frozen
from valor_labels import LabelValues

from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows, NumberOrReason, Result, Undefined, ratio
from valor_core.schemas import Codes, Label
from valor_core.states import StateRequest
from valor_segmentation.counting import pixel_counts
from valor_segmentation.counting.image_means import image_means, pooled
from valor_segmentation.counting.image_rows import pooled_rows
from valor_segmentation.counting.pixel_counts import Confusion, ImageRows, PixelCounts
from valor_segmentation.parameters.pixels import LabelParameters

ABSENT = "label in no pixel"
"""Reason for excluding a label of the data that is neither true nor predicted anywhere."""


@frozen
class LabelQuotient:
    """Quotient of the pixels of a label, and its averages; subclasses define the quotient."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts, of each image for means over images."""
        return (pixel_counts.request(images=self._is_per_image),)

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """Yield one result for each label, then the averages, for each label key."""
        for key, counts in state.sorted():
            if self._is_per_image:
                yield from self._of_images(key, counts.confusion, counts.rows)
            else:
                yield from self._of_key(key, counts.confusion)

    def item_rows(self, state: PixelCounts) -> ItemRows | None:
        """Return the quotient of each image over all labels, if the subclass has `terms`."""
        has_terms = type(self).terms is not LabelQuotient.terms
        return pooled_rows(state, self.terms) if has_terms else None

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """Return the quotient."""
        raise NotImplementedError

    @property
    def _is_per_image(self) -> bool:
        return getattr(self.parameters, "per", "data") == "image"

    def _of_images(self, key: str, confusion: Confusion, rows: ImageRows) -> Iterator[Result]:
        """Yield means over images."""
        chosen, columns = self.parameters, confusion.counts()
        zero = self.value(0, 0, 0)
        settings: dict[str, Any] = {
            "terms": self.terms,
            "zero_division": chosen.zero_division,
            "zero_reason": zero.reason if isinstance(zero, Undefined) else "",
            "ignore_empty": chosen.ignore_empty,
        }
        means = image_means(rows, len(confusion.labels), **settings)
        (micro,) = image_means(pooled(rows), 1, **settings)
        values = evolve(
            label_values(key, confusion.labels, columns, self.value),
            values=[one.value for one in means],
            micro=micro.value,
        )
        shaped = changed_parameters(chosen, "average")
        for average in chosen.average:
            found = values.results(average, shaped, chosen.include_prediction_only_labels)
            left_out = {"none": [one.left_out for one in means], "micro": [micro.left_out]}
            for result, excluded in zip_longest(found, left_out.get(average, [])):
                yield result if excluded is None else evolve(result, left_out=excluded)

    def terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return numerators and denominators of columns of counts, for means over images.

        Subclasses can define it as arithmetic; by default, each row is a call of `value`.
        """
        rows = zip(tp.tolist(), fp.tolist(), fn.tolist(), strict=True)
        values = [self.value(*row) for row in rows]
        is_number = np.array([isinstance(one, float) for one in values], bool)
        numbers = [one if isinstance(one, float) else 0.0 for one in values]
        return np.array(numbers, np.float64), is_number.astype(np.int64)

    def _of_key(self, key: str, confusion: Confusion) -> Iterator[Result]:
        columns = confusion.counts()
        values = evolve(
            label_values(key, confusion.labels, columns, self.value),
            micro=self.value(*(int(column.sum()) for column in columns)),
        )
        settings = changed_parameters(self.parameters, "average")
        for average in self.parameters.average:
            include = self.parameters.include_prediction_only_labels
            yield from values.results(average, settings, include)


def label_values(
    key: str,
    labels: Sequence[Label],
    columns: tuple[Codes, Codes, Codes],
    value: Callable[[int, int, int], NumberOrReason],
) -> LabelValues:
    """Return the value of each label from its tp, fp and fn.

    The macro mean excludes labels without pixels on both sides.
    """
    tp, fp, fn = columns
    rows = zip(tp.tolist(), fp.tolist(), fn.tolist(), strict=True)
    return LabelValues(
        key=key,
        labels=labels,
        truths=tp + fn,
        values=[value(*row) for row in rows],
        excluded=dict.fromkeys(np.flatnonzero(tp + fp + fn == 0).tolist(), ABSENT),
    )


@frozen
class Precision(LabelQuotient):
    """Share of a label's predicted pixels that are true: tp / (tp + fp).

    Parameters
    ----------
    parameters : LabelParameters
        Averages and the value of 0/0.

    References
    ----------
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0]], [[1, 1]], labels=["cat"])
    >>> evaluate([item], ["Precision"])["Precision", "cat"].value
    0.5
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """Return the quotient."""
        return ratio(*self.terms(tp, fp, fn), self.parameters.zero_division, "no predicted pixels")

    def terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return tp, tp + fp


@frozen
class Recall(LabelQuotient):
    """Share of a label's true pixels that are predicted: tp / (tp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Averages and the value of 0/0.

    References
    ----------
    van Rijsbergen, "Information Retrieval", 1979, chapter 7.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1]], [[1, 0]], labels=["cat"])
    >>> evaluate([item], ["Recall"])["Recall", "cat"].value
    0.5
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """Return the quotient."""
        return ratio(*self.terms(tp, fp, fn), self.parameters.zero_division, "no true pixels")

    def terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return tp, tp + fn


@frozen
class F1(LabelQuotient):
    """Harmonic mean of precision and recall, the Dice coefficient: 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Averages and the value of 0/0.

    References
    ----------
    Dice, "Measures of the Amount of Ecologic Association Between Species", Ecology 26, 1945.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1]], [[1, 0]], labels=["cat"])
    >>> evaluate([item], ["Dice"])["F1", "cat"].value
    0.6666666666666666
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """Return the quotient."""
        return ratio(
            *self.terms(tp, fp, fn), self.parameters.zero_division, "no true or predicted pixels"
        )

    def terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return 2 * tp, 2 * tp + fp + fn
