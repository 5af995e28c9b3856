"""Cluster: the scheduler and workers that a run uses, its own or those of others."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from distributed import Client, LocalCluster
from distributed.utils import silence_logging_cmgr

from valor_core.errors import EngineError
from valor_core.evaluation.engines import GUARD, check_main_guard, defer_signals
from valor_dask.parameters import DaskParameters

_RETRIES = 3
_PATIENCE = 15  # seconds in which a scheduler and its first worker have to answer


@contextmanager
def connected(parameters: DaskParameters) -> Iterator[Client]:
    """A client of the cluster that the parameters mean; a cluster of its own ends with it.

    Parameters
    ----------
    parameters : DaskParameters
        Which cluster.

    Raises
    ------
    EngineError
        If there is no scheduler at the address, it has no workers, or no cluster can be started.
    """
    with silence_logging_cmgr(logging.CRITICAL):
        if parameters.scheduler is None:
            with _started(parameters) as cluster, _client(cluster) as client:
                yield client
        else:
            with _client(parameters.scheduler) as client:
                yield client


@contextmanager
def _started(parameters: DaskParameters) -> Iterator[LocalCluster]:
    """A cluster on this machine, whose processes end with the block or with this process."""
    check_main_guard()
    retries = _RETRIES if parameters.retries is None else parameters.retries
    with defer_signals(), _beyond_signals():
        try:
            cluster = LocalCluster(
                n_workers=parameters.workers or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                memory_limit=None,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                scheduler_kwargs={"allowed_failures": retries},
            )
        except Exception as error:
            raise EngineError(
                f"engine: a cluster cannot be started here, {type(error).__name__}: {error}", GUARD
            ) from error
    try:
        yield cluster
    finally:
        with defer_signals():
            cluster.close()


@contextmanager
def _beyond_signals() -> Iterator[None]:
    """Threads and processes that are started in the block get no signal: the run tells them.

    A terminal sends Ctrl-C to all processes. A worker that takes it dies with what it counted.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # What tracks semaphores lifts the block when it is started, so that it is started before.
    resource_tracker.ensure_running()
    stopping = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _client(cluster: Any) -> Iterator[Client]:
    # Workers of others may be out of reach; then tallies go through the scheduler.
    is_here = isinstance(cluster, LocalCluster)
    try:
        client = Client(
            cluster, set_as_default=False, timeout=_PATIENCE, direct_to_workers=is_here or None
        )
    except (OSError, ValueError) as error:
        raise EngineError(
            f"engine.scheduler: expected a Dask scheduler at {cluster}, found none, {error}",
            "Start one with: dask scheduler",
        ) from error
    try:
        _wait_for_a_worker(client)
        yield client
    finally:
        with defer_signals():
            client.close()


def _wait_for_a_worker(client: Client) -> None:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        address = client.scheduler_info()["address"]
        raise EngineError(
            f"engine.scheduler: expected workers at {address}, found none",
            f"Start one with: dask worker {address}",
        ) from error
