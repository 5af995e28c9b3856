"""States of detection that other plugins may build metrics on.

What asks for one shares it with the family's own metrics, so that matching is done once.
Parameters are in the modules of `valor_detection.parameters`, which a manifest may import.

- `overlaps` asks for `Overlaps`, which holds the objects of all images and the pairs that overlap.
  ``state.table`` is a `Table` of them, ``table.labels`` has their labels, and ``table.seen`` the
  codes of the labels that any object has, by label key.
- `ranking(table, parameters)` is the `Ranking` of the predictions that count: columns ``labels``,
  ``scores`` and ``is_true``, by label and descending score. Its parameters have `matching`,
  `max_detections` and `iou_threshold`.
- `LABEL` and `KEY` say which objects can be pairs: those of one label, or of one label key.

Examples
--------
>>> from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
>>> from valor_core.schemas.geometry import Box
>>> from valor_detection.parameters.errors import CalibrationParameters
>>> state = overlaps((0.5,), "coco").open()
>>> true, seen = TrueObject("dog", Box(0, 0, 2, 2)), {"dog": 0.75}
>>> item = Detection("a", [true], [PredictedObject(seen, Box(0, 0, 2, 2))])
>>> state.update(DetectionBatch.of([item]))
>>> ranking(state.table, CalibrationParameters()).is_true
array([ True])
"""

from __future__ import annotations

from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.candidate_pairs import request as overlaps
from valor_detection.matching.ranked import Ranking, ranking
from valor_detection.matching.table import KEY, LABEL, Table

__all__ = ["KEY", "LABEL", "Overlaps", "Ranking", "Table", "overlaps", "ranking"]
