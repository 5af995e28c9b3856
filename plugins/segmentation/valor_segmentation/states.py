"""States of segmentation that other plugins may build metrics on.

A metric that requests one shares it with the metrics of the family, so pixels are counted once.
Manifests may import the modules of `valor_segmentation.parameters`.

- `pixel_counts` requests `PixelCounts`. ``state.sorted()`` has the counts of each label key, and
  ``counts.confusion`` its `Confusion`: a table of pixels by true and predicted label. With
  ``images=True``, ``counts.rows`` are `ImageRows`: the labels of each image.
- `LabelQuotient` is the base of a metric that divides these counts: a subclass has one method,
  ``value(tp, fp, fn)``, and gets its averages from `LabelParameters`.

Examples
--------
>>> from valor_core.schemas.segmentation import SegmentationBatch
>>> state = pixel_counts().open()
>>> from valor_segmentation.readers.in_memory import from_arrays
>>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
>>> [(key, counts.confusion.table.tolist()) for key, counts in state.sorted()]
[('class', [[0, 1], [0, 1]])]
"""

from __future__ import annotations

from valor_segmentation.counting.pixel_counts import Confusion, ImageRows, PixelCounts
from valor_segmentation.counting.pixel_counts import request as pixel_counts
from valor_segmentation.metrics.precision_recall import LabelQuotient

__all__ = ["Confusion", "ImageRows", "LabelQuotient", "PixelCounts", "pixel_counts"]
