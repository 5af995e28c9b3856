from valor_core.cancellation import BY_THE_USER, uninterrupted
from valor_core.evaluation.engines.engine import Engine, Work
from valor_core.evaluation.engines.local import LocalEngine, LocalParameters, count_read_ahead
from valor_core.evaluation.engines.worker import (
    GUARD,
    Worker,
    check_guarded,
    check_versions,
    count_partition,
    start_worker,
)

__all__ = [
    "BY_THE_USER",
    "GUARD",
    "Engine",
    "LocalEngine",
    "LocalParameters",
    "Work",
    "Worker",
    "check_guarded",
    "check_versions",
    "count_partition",
    "count_read_ahead",
    "start_worker",
    "uninterrupted",
]
