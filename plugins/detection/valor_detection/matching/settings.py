"""Selections of counted objects under a protocol."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.parameters import changed_parameters
from valor_core.states import StateRequest
from valor_detection.matching import candidate_pairs, interpolated, matches
from valor_detection.matching.interpolated import Curves
from valor_detection.matching.matches import Matching
from valor_detection.matching.protocols import NO_BOUNDS, AreaRange, Bounds, Protocol, protocol_of
from valor_detection.matching.table import LABEL, Flags, Table
from valor_detection.parameters.fields import AreaRanges, ConvertTo, OverlapName, ProtocolName

_SPREAD = (
    *("iou_thresholds", "score_thresholds", "recall_score_threshold"),
    *("average", "area_ranges", "form"),
)
"""Parameters that define the list of results. Each result states its own coordinates instead."""


class SelectionParameters(typing.Protocol):
    """Parameters of every metric of matched objects."""

    @property
    def matching(self) -> ProtocolName:
        """Name of the protocol."""

    @property
    def max_detections(self) -> int | None:
        """Maximum number of predictions in an image, as the protocol limits them."""

    @property
    def area_ranges(self) -> AreaRanges | None:
        """Area ranges with separate results."""

    @property
    def convert_to(self) -> ConvertTo | None:
        """Kind of shape to convert all shapes to."""

    @property
    def overlap(self) -> OverlapName:
        """Name of the overlap."""


@frozen
class Selection:
    """Counted objects of one area range under one protocol.

    Parameters
    ----------
    protocol : Protocol
        Protocol of the matching.
    area_range : (float, float)
        Range of counted areas, in square pixels.
    max_detections : int, optional
        Maximum number of counted predictions in an image, as the protocol limits them.
    coordinates : mapping of str to value
        Parameters of results: the area range, and parameters that differ from the defaults.
    """

    protocol: Protocol
    area_range: AreaRange
    max_detections: int | None
    coordinates: Mapping[str, Any] = field(eq=False)

    def matching(self, table: Table) -> Matching:
        """Return the matching of a table."""
        return matches.matching(table, self.protocol, LABEL, self.area_range)

    def counts(self, table: Table) -> Flags:
        """Return True for each prediction within the limit of detections."""
        if self.max_detections is None:
            return np.ones(len(table.objects.scores), dtype=bool)
        counts: Flags = self.matching(table).ranks < self.max_detections
        return counts

    def curves(self, table: Table) -> Curves:
        """Return the interpolated curves of all labels."""
        return interpolated.curves(table, self.protocol, self.area_range, self.max_detections)


def selections(chosen: SelectionParameters, bounds: Bounds = NO_BOUNDS) -> Iterator[Selection]:
    """Yield a selection for each area range.

    Parameters
    ----------
    chosen : SelectionParameters
        Parameters of a metric.
    bounds : Bounds
        Limits for parameters that are not set.

    Examples
    --------
    >>> from valor_detection.parameters.averages import APParameters
    >>> [each.coordinates for each in selections(APParameters(matching="valor"))]
    [{'matching': 'valor'}]
    """
    protocol, most, changed = (
        protocol_of(chosen),
        chosen.max_detections,
        changed_parameters(chosen, *_SPREAD),
    )
    most = bounds.max_detections if most is None else most
    if chosen.area_ranges is None:
        yield Selection(protocol, bounds.area_range, most, changed)
        return
    for name, (low, high) in chosen.area_ranges.items():
        coordinates = {"area_range": name, "area_bounds": [low, high]}
        range_ = (low or 0.0, math.inf if high is None else high)
        yield Selection(protocol, range_, most, coordinates | changed)


def request(
    chosen: SelectionParameters, iou_thresholds: tuple[float, ...], bounds: Bounds = NO_BOUNDS
) -> StateRequest:
    """Request the pairs for the parameters of a metric."""
    most = bounds.max_detections if chosen.max_detections is None else chosen.max_detections
    return candidate_pairs.request(iou_thresholds, protocol_of(chosen), max_detections=most)
