from valor_core.scoring.async_scoring import carried, submit
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.decorator import FunctionMetricSpec, metric
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.scoring import Items, ItemScorer, Job
from valor_core.scoring.spec import ItemMetricSpec

__all__ = [
    "FunctionMetricSpec",
    "ItemMetric",
    "ItemMetricSpec",
    "ItemScorer",
    "Items",
    "Job",
    "as_rows",
    "carried",
    "metric",
    "submit",
]
