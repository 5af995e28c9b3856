"""Means: from numbers of every label at several thresholds to results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.results import Result, Undefined, label_parameters
from valor_core.schemas import Codes, Floats
from valor_core.states import StateRequest
from valor_detection.matching import settings
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.protocols import average_bounds, cut_warning
from valor_detection.matching.table import Table
from valor_detection.parameters.fields import Rule


def mean(values: Floats, rule: Rule) -> float | None:
    """Mean of all numbers; None of none.

    Parameters
    ----------
    values : ndarray of float64
        Numbers.
    rule : str
        Under ``coco`` they are added in the order and with the rounding of pycocotools, else
        the sum is exact.

    Examples
    --------
    >>> mean(np.array([[0.5, 1.0]]), "valor"), mean(np.array([]), "coco")
    (0.75, None)
    """
    if not values.size:
        return None
    if rule == "coco":
        return float(np.mean(values.ravel()))
    return math.fsum(values.ravel().tolist()) / values.size


@frozen(kw_only=True, eq=False)
class Numbers:
    """Numbers of all labels, each label's at the same thresholds.

    Parameters
    ----------
    table : Table
        Whose labels they are.
    values : ndarray of float64, shape (…, n_labels)
        The numbers; anything for a label without ground truths.
    positives : ndarray of int64, shape (n_labels,)
        Ground truths that count.
    rule : str
        How numbers are added, see `mean`.
    coordinates : mapping of str to value
        How results say which numbers these are.
    """

    table: Table
    values: Floats
    positives: Codes
    rule: Rule
    coordinates: Mapping[str, Any]

    def by_label(self, key: str) -> Iterator[Result]:
        """The mean of each label of a key; undefined without ground truths."""
        for code in self.table.seen[key]:
            label = self.table.labels[code]
            value = mean(self.values[..., code], self.rule) if self.positives[code] else None
            yield Result(
                parameters={**label_parameters(label), **self.coordinates},
                value=Undefined(f"no ground truths of label {label.value!r}")
                if value is None
                else value,
            )

    def over_labels(self, key: str, *, include_prediction_only: bool) -> Result:
        """The mean over all labels of a key.

        Parameters
        ----------
        key : str
            The label key.
        include_prediction_only : bool
            Whether a label without ground truths takes part, with 0, instead of being left out
            and counted.
        """
        codes = self.table.seen[key]
        values, has = self.values[..., codes], self.positives[codes] > 0
        left_out: dict[str, int] = {}
        if include_prediction_only:
            values = np.where(has, values, 0.0)
        elif not has.all():
            values = values[..., has]
            left_out = {"no ground truths of the label": int(np.count_nonzero(~has))}
        value = mean(values, self.rule)
        return Result(
            parameters={"label_key": key, **self.coordinates},
            value=Undefined("no labels with ground truths") if value is None else value,
            left_out=left_out,
        )


@frozen
class Means:
    """A metric of means of numbers of matched objects.

    Parameters
    ----------
    parameters : object
        What counts and how it is matched, and the IoU thresholds.
    """

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Overlaps of objects with one label."""
        bounds = average_bounds(self.parameters.matching)
        return (settings.request(self.parameters, self.parameters.iou_thresholds, bounds),)

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """The numbers that one result after another is a mean of."""
        raise NotImplementedError

    def warned(self, results: Iterator[Result], table: Table) -> Iterator[Result]:
        """The results, the first one with a warning if COCO's limit cuts predictions."""
        most = average_bounds(self.parameters.matching).max_detections
        warning = None
        if most is not None and self.parameters.max_detections is None:
            warning = cut_warning(table, most)
        if warning is not None:
            yield from (evolve(first, warnings=(warning,)) for first in islice(results, 1))
        yield from results


@frozen
class LabelMeans(Means):
    """A metric with one result for each label."""

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each threshold that stands alone, range of sizes and label."""
        yield from self.warned(self._results(state.table), state.table)

    def _results(self, table: Table) -> Iterator[Result]:
        for numbers in self.numbers(table):
            for key in table.seen:
                yield from numbers.by_label(key)


@frozen
class KeyMeans(Means):
    """A metric with one result over the labels of each label key."""

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """One result for each threshold that stands alone, range of sizes and label key."""
        yield from self.warned(self._results(state.table), state.table)

    def _results(self, table: Table) -> Iterator[Result]:
        include = self.parameters.include_prediction_only_labels
        for numbers in self.numbers(table):
            for key in table.seen:
                yield numbers.over_labels(key, include_prediction_only=include)
