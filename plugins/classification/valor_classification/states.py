"""States of classification that other plugins may build metrics on.

A metric that requests one shares it with the metrics of the family, so it is counted once.
Manifests may import the modules of `valor_classification.parameters`.

- `label_counts` requests `LabelCounts`. ``state.sorted()`` has a part for each label key, and
  ``part.at(threshold)`` its `ThresholdCounts`: columns of tp, fp, fn and tn by label.
- `LabelQuotient` is the base of a metric that divides these counts: a subclass has one method,
  ``value(tp, fp, fn, tn)``, and gets thresholds and averages from `LabelParameters`.
- `ranking` requests `Ranking`. ``part.of_labels()`` has the `LabelScores` of each label.

Examples
--------
>>> from valor_core.schemas.classification import Classification, ClassificationBatch
>>> state = label_counts((0.5,), hardmax=True).open()
>>> state.update(ClassificationBatch.of([Classification("a", "dog", {"dog": 0.75})]))
>>> [(key, part.at(0.5).tp.tolist()) for key, part in state.sorted()]
[('class', [1])]
"""

from __future__ import annotations

from valor_classification.counting.scores import LabelScores, Ranking
from valor_classification.counting.scores import request as ranking
from valor_classification.counting.threshold_counts import LabelCounts, ThresholdCounts
from valor_classification.counting.threshold_counts import request as label_counts
from valor_classification.metrics.precision_recall import LabelQuotient

__all__ = [
    "LabelCounts",
    "LabelQuotient",
    "LabelScores",
    "Ranking",
    "ThresholdCounts",
    "label_counts",
    "ranking",
]
