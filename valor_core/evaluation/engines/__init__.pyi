from valor_core.cancellation import STOPPED_BY_USER, defer_signals
from valor_core.evaluation.engines.engine import Engine, PartitionTask
from valor_core.evaluation.engines.local import count_read_ahead
from valor_core.evaluation.engines.worker import (
    MAIN_GUARD_HINT,
    Worker,
    check_main_guard,
    check_versions,
    count_partition,
    start_worker,
)
from valor_core.evaluation.state import EvaluationState

__all__ = [
    "MAIN_GUARD_HINT",
    "STOPPED_BY_USER",
    "Engine",
    "EvaluationState",
    "PartitionTask",
    "Worker",
    "check_main_guard",
    "check_versions",
    "count_partition",
    "count_read_ahead",
    "defer_signals",
    "start_worker",
]
