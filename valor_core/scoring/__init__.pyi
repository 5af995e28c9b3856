from valor_core.scoring.async_scoring import run_on_loop, submit
from valor_core.scoring.decorator import metric
from valor_core.scoring.spec import ItemMetricSpec

__all__ = [
    "ItemMetricSpec",
    "metric",
    "run_on_loop",
    "submit",
]
