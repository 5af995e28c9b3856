"""Means of numbers of every label at several thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from attrs import evolve, frozen
from valor_labels import label_parameters

from valor_core.results import Result, Undefined
from valor_core.schemas import Codes, Floats
from valor_core.states import StateRequest
from valor_detection.matching import settings
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.protocols import Protocol, cut_warning, federated_warning, protocol_of
from valor_detection.matching.table import Table


def mean(values: Floats, protocol: Protocol) -> float | None:
    """Return the mean of all numbers, or None without any.

    Parameters
    ----------
    values : ndarray of float64
        Numbers.
    protocol : Protocol
        Protocol that defines the order and rounding of the sum.

    Examples
    --------
    >>> from valor_detection.matching.protocols import COCO, VALOR
    >>> mean(np.array([[0.5, 1.0]]), VALOR), mean(np.array([]), COCO)
    (0.75, None)
    """
    return protocol.mean(values) if values.size else None


@frozen(kw_only=True, eq=False)
class Numbers:
    """Numbers of all labels at the same thresholds.

    Parameters
    ----------
    table : Table
        Table of the labels.
    values : ndarray of float64, shape (…, n_labels)
        Numbers. Those of labels without ground truths are not used.
    positives : ndarray of int64, shape (n_labels,)
        Counted ground truths.
    protocol : Protocol
        Protocol of the mean.
    coordinates : mapping of str to value
        Parameters of the results.
    """

    table: Table
    values: Floats
    positives: Codes
    protocol: Protocol
    coordinates: Mapping[str, Any]

    def by_label(self, key: str) -> Iterator[Result]:
        """Yield the mean of each label of a key, undefined without ground truths."""
        for code in self.table.seen[key]:
            label = self.table.labels[code]
            value = mean(self.values[..., code], self.protocol) if self.positives[code] else None
            yield Result(
                parameters={**label_parameters(label), **self.coordinates},
                value=Undefined(f"no ground truths of label {label.value!r}")
                if value is None
                else value,
            )

    def over_labels(self, key: str, *, include_prediction_only: bool) -> Result:
        """Return the mean over all labels of a key.

        Parameters
        ----------
        key : str
            Label key.
        include_prediction_only : bool
            If True, labels without ground truths count as 0. Otherwise they are excluded, and
            their number is part of the result.
        """
        codes = self.table.seen[key]
        values, has = self.values[..., codes], self.positives[codes] > 0
        left_out: dict[str, int] = {}
        absent = 0.0 if include_prediction_only else self.protocol.absent
        if absent is not None:
            values = np.where(has, values, absent)
        elif not has.all():
            values = values[..., has]
            left_out = {"no ground truths of the label": int(np.count_nonzero(~has))}
        value = mean(values, self.protocol)
        return Result(
            parameters={"label_key": key, **self.coordinates},
            value=Undefined("no labels with ground truths") if value is None else value,
            left_out=left_out,
        )


@frozen
class Average:
    """Metric that is a mean of numbers, for each label or over the labels of each label key.

    Parameters
    ----------
    parameters : object
        IoU thresholds, the protocol, and limits of areas and detections.
    """

    over_labels: ClassVar[bool] = False

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        bounds = protocol_of(self.parameters).bounds
        return (settings.request(self.parameters, self.parameters.iou_thresholds, bounds),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result per threshold or set of thresholds, area range, and label or label key."""
        results = self._results(state.table)
        protocol = protocol_of(self.parameters)
        most = protocol.bounds.max_detections
        found = [federated_warning(state.table, protocol)]
        if not (most is None or protocol.limits_images or self.parameters.max_detections):
            found.append(cut_warning(state.table, most))
        warnings = tuple(filter(None, found))
        if warnings:
            yield from (evolve(first, warnings=warnings) for first in islice(results, 1))
        yield from results

    def numbers(self, table: Table) -> Iterator[Numbers]:
        """Yield the numbers of each mean."""
        raise NotImplementedError

    def _results(self, table: Table) -> Iterator[Result]:
        for numbers in self.numbers(table):
            for key in table.seen:
                if self.over_labels:
                    include = self.parameters.include_prediction_only_labels
                    yield numbers.over_labels(key, include_prediction_only=include)
                else:
                    yield from numbers.by_label(key)
