"""States of detection for metrics of other plugins.

Metrics that request the same state share it, so objects are matched once. Parameters are in the
modules of `valor_detection.parameters`, which a manifest may import.

- A `Protocol` has the decisions of a benchmark as values of its fields: `ShapeIOU`, the order of
  ties `ByData`, `ByBestOverlap` or `ByMatchedOverlap`, the choice `BestFree`, `Best` or
  `GreedyPairs`, the limits `as_given` or `exceeded`, `Bounds`, and the precision `At`,
  `EveryPoint` or `Nearest`. A plugin declares one in the hook ``valor_protocols``.
- `protocol_of(parameters)` is the `Protocol` that the parameter `matching` names.
- `overlaps` requests `Overlaps`, the objects of all images and their overlapping pairs.
  ``state.table`` is a `Table` of them, ``table.labels`` has their labels, and ``table.seen`` the
  codes of the labels with objects, by label key.
- `ranking(table, parameters)` is the `Ranking` of counted predictions: columns ``labels``,
  ``scores`` and ``is_true``, by label and descending score. Its parameters have `matching`,
  `max_detections` and `iou_threshold`.
- `LABEL` and `KEY` select the objects that form pairs: objects with the same label, or label key.

Examples
--------
>>> from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
>>> from valor_core.schemas.geometry import Box
>>> from valor_detection.parameters.errors import CalibrationParameters
>>> parameters = CalibrationParameters()
>>> state = overlaps((0.5,), protocol_of(parameters)).open()
>>> true, predicted = TrueObject("dog", Box(0, 0, 2, 2)), {"dog": 0.75}
>>> item = Detection("a", [true], [PredictedObject(predicted, Box(0, 0, 2, 2))])
>>> state.update(DetectionBatch.of([item]))
>>> ranking(state.table, parameters).is_true
array([ True])
"""

from __future__ import annotations

from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.candidate_pairs import request as overlaps
from valor_detection.matching.choices import Best, BestFree, GreedyPairs
from valor_detection.matching.overlap.shapes import ShapeIOU
from valor_detection.matching.precisions import At, EveryPoint, Nearest
from valor_detection.matching.protocols import Bounds, Protocol, as_given, exceeded, protocol_of
from valor_detection.matching.ranked import Ranking, ranking
from valor_detection.matching.table import KEY, LABEL, Table
from valor_detection.matching.ties import ByBestOverlap, ByData, ByMatchedOverlap

__all__ = [
    "KEY",
    "LABEL",
    "At",
    "Best",
    "BestFree",
    "Bounds",
    "ByBestOverlap",
    "ByData",
    "ByMatchedOverlap",
    "EveryPoint",
    "GreedyPairs",
    "Nearest",
    "Overlaps",
    "Protocol",
    "Ranking",
    "ShapeIOU",
    "Table",
    "as_given",
    "exceeded",
    "overlaps",
    "protocol_of",
    "ranking",
]
