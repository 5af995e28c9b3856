"""Pool: an engine over the processes of concurrent.futures."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import PartitionTask, count_partition, start_worker
from valor_core.parameters import Within, parameter, parameters
from valor_core.readers import Partition
from valor_core.resources import Share
from valor_core.specs import EngineSpec, hookimpl


@parameters
class PoolParameters:
    """Parameters of the engine."""

    workers: int = parameter(default=2, help="Number of processes.", check=Within(1))


def start(packed: Any, shares: Any) -> None:
    """Make this process a worker with the next share of the budgets."""
    start_worker(packed, shares.get())


class PoolEngine:
    """Engine with a pool of processes."""

    def __init__(self, parameters: PoolParameters) -> None:
        self.parameters = parameters

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield states as partitions finish."""
        context, workers = get_context("spawn"), self.parameters.workers
        shares = context.SimpleQueue()
        for number in range(workers):
            shares.put(Share(number, workers))
        pool = ProcessPoolExecutor(workers, context, start, (work.packed(), shares))
        try:
            for future in as_completed([pool.submit(count_partition, one) for one in partitions]):
                yield future.result()
                if work.control.stopped:
                    return
        finally:
            pool.shutdown(cancel_futures=True)


@hookimpl
def valor_engines() -> list[EngineSpec]:
    """Declare the engine."""
    return [
        EngineSpec(
            name="pool.pool",
            summary="Processes of concurrent.futures",
            parameters=PoolParameters,
            implementation="pool:PoolEngine",
        )
    ]
