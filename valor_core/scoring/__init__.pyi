from valor_core.scoring.async_scoring import run_on_loop, submit
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.decorator import FunctionMetricSpec, metric
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.scoring import Items, ItemScorer, MetricScoring
from valor_core.scoring.spec import ItemMetricSpec

__all__ = [
    "FunctionMetricSpec",
    "ItemMetric",
    "ItemMetricSpec",
    "ItemScorer",
    "Items",
    "MetricScoring",
    "as_rows",
    "metric",
    "run_on_loop",
    "submit",
]
