from valor_core.scoring.async_scoring import carried, submit
from valor_core.scoring.bound_resource import (
    WARNINGS,
    BoundResource,
    GivenKind,
    added_up,
    bind_resources,
    open_as,
)
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.open_resources import OpenResources, Share, opened
from valor_core.scoring.scoring import Items, ItemScorer, Job

__all__ = [
    "WARNINGS",
    "BoundResource",
    "GivenKind",
    "ItemMetric",
    "ItemScorer",
    "Items",
    "Job",
    "OpenResources",
    "Share",
    "added_up",
    "as_rows",
    "bind_resources",
    "carried",
    "open_as",
    "opened",
    "submit",
]
