from valor_core.scoring.bound_resource import BoundResource, GivenKind, bind_resources, open_as
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.event_loop import carried, submit
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.open_resources import OpenResources, Share, opened
from valor_core.scoring.scoring import Items, ItemScorer, Job
from valor_core.scoring.usage import WARNINGS, added_up

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
