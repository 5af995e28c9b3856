"""Selections: which objects a metric counts, and the rule by which they are matched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen

from valor_core.parameters import changed_parameters
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs, interpolated, matches
from valor_detection.matching.interpolated import Curves
from valor_detection.matching.matches import Flags, Matching
from valor_detection.matching.protocols import NO_BOUNDS, AreaRange, Bounds
from valor_detection.matching.table import LABEL, Table
from valor_detection.parameters.fields import AreaRanges, ConvertTo, Rule

_SPREAD = (
    *("iou_thresholds", "score_thresholds", "recall_score_threshold"),
    *("average", "area_ranges", "form"),
)
"""Parameters that say which results there are; each result's own coordinates say which it is."""


class SelectionParameters(Protocol):
    """The parameters that every metric of matched objects has."""

    @property
    def matching(self) -> Rule:
        """Rule of the matching."""

    @property
    def max_detections(self) -> int | None:
        """Most predictions of a label in an image."""

    @property
    def area_ranges(self) -> AreaRanges | None:
        """Sizes that are counted apart."""

    @property
    def convert_to(self) -> ConvertTo | None:
        """Kind of shape that everything is made into."""


@frozen
class Selection:
    """The objects of one range of sizes, matched under one rule.

    Parameters
    ----------
    rule : str
        Rule of the matching.
    area_range : (float, float)
        Sizes that count, in square pixels.
    max_detections : int, optional
        Most predictions of a label that count in an image.
    coordinates : mapping of str to value
        How a result says so: what is not as usual.
    """

    rule: Rule
    area_range: AreaRange
    max_detections: int | None
    coordinates: Mapping[str, Any] = field(eq=False)

    def matching(self, table: Table) -> Matching:
        """Which predictions found what."""
        return matches.matching(table, self.rule, LABEL, self.area_range)

    def counts(self, table: Table) -> Flags:
        """Whether each prediction is among the most that count in its image."""
        if self.max_detections is None:
            return np.ones(len(table.objects.scores), dtype=bool)
        counts: Flags = self.matching(table).ranks < self.max_detections
        return counts

    def curves(self, table: Table) -> Curves:
        """The interpolated curves of all labels."""
        return interpolated.curves(table, self.rule, self.area_range, self.max_detections)


def selections(chosen: SelectionParameters, bounds: Bounds = NO_BOUNDS) -> Iterator[Selection]:
    """One selection for each range of sizes.

    Parameters
    ----------
    chosen : SelectionParameters
        A metric's parameters.
    bounds : Bounds
        What counts where these leave it open.

    Examples
    --------
    >>> from valor_detection.parameters.averages import APParameters
    >>> [each.coordinates for each in selections(APParameters(matching="valor"))]
    [{'matching': 'valor'}]
    """
    rule, most, told = chosen.matching, chosen.max_detections, changed_parameters(chosen, *_SPREAD)
    most = bounds.max_detections if most is None else most
    if chosen.area_ranges is None:
        yield Selection(rule, bounds.area_range, most, told)
        return
    for name, (low, high) in chosen.area_ranges.items():
        own = {"area_range": name, "area_bounds": [low, high]}
        range_ = (low or 0.0, math.inf if high is None else high)
        yield Selection(rule, range_, most, own | told)


def request(
    chosen: SelectionParameters, iou_thresholds: tuple[float, ...], bounds: Bounds = NO_BOUNDS
) -> StateRequest:
    """The overlaps that a metric's matching reads."""
    most = bounds.max_detections if chosen.max_detections is None else chosen.max_detections
    return candidate_pairs.request(
        iou_thresholds, chosen.matching, convert_to=chosen.convert_to, max_detections=most
    )
