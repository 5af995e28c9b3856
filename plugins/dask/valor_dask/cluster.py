"""Connections to a running Dask cluster or a local one."""

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
from valor_core.evaluation.engines import MAIN_GUARD_HINT, check_main_guard, defer_signals
from valor_dask.parameters import DaskParameters

_RETRIES = 3
_TIMEOUT = 15  # seconds for the connection to a scheduler and for its first worker


@contextmanager
def connected(parameters: DaskParameters) -> Iterator[Client]:
    """Connect a client to a running or local cluster; stop a local one on exit.

    Parameters
    ----------
    parameters : DaskParameters
        Address of the scheduler, or settings of a local cluster.

    Raises
    ------
    EngineError
        If no scheduler answers, it has no workers, or no local cluster can be started.
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
    """Start a local cluster whose processes end with the block or with this process."""
    check_main_guard()
    retries = _RETRIES if parameters.retries is None else parameters.retries
    with defer_signals(), _signals_blocked():
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
                f"engine: a cluster cannot be started here, {type(error).__name__}: {error}",
                MAIN_GUARD_HINT,
            ) from error
    try:
        yield cluster
    finally:
        with defer_signals():
            cluster.close()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals in threads and processes started in the block.

    A terminal sends Ctrl-C to all processes, and an interrupted worker would lose its states. The
    client stops the workers instead.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The resource tracker unblocks signals when it starts, so start it first.
    resource_tracker.ensure_running()
    stopping = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _client(cluster: Any) -> Iterator[Client]:
    # Workers of a running cluster may be unreachable; then results go through the scheduler.
    is_local = isinstance(cluster, LocalCluster)
    try:
        client = Client(
            cluster, set_as_default=False, timeout=_TIMEOUT, direct_to_workers=is_local or None
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
        client.wait_for_workers(1, timeout=_TIMEOUT)
    except TimeoutError as error:
        address = client.scheduler_info()["address"]
        raise EngineError(
            f"engine.scheduler: expected workers at {address}, found none",
            f"Start one with: dask worker {address}",
        ) from error
