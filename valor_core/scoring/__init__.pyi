from valor_core.scoring.async_scoring import carried, submit
from valor_core.scoring.bound_resource import (
    WARNINGS,
    BoundResource,
    ProvidedClient,
    bind_resources,
    open_as,
    sum_usage,
)
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.open_resources import OpenResources, Share, opened
from valor_core.scoring.scoring import Items, ItemScorer, Job

__all__ = [
    "WARNINGS",
    "BoundResource",
    "ItemMetric",
    "ItemScorer",
    "Items",
    "Job",
    "OpenResources",
    "ProvidedClient",
    "Share",
    "as_rows",
    "bind_resources",
    "carried",
    "open_as",
    "opened",
    "submit",
    "sum_usage",
]
