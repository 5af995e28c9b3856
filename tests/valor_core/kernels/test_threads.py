"""Tasks in threads: order of results, errors, and nested calls."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core.kernels import in_threads, map_spans, spans_of_equal_cost, thread_count, threads


@pytest.fixture
def three(monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    threads._pool.cache_clear()
    yield
    threads._pool.cache_clear()


def test_results_are_in_order_of_tasks(three):
    assert map_spans(lambda a, b: (a, b), [(0, 3), (3, 5), (5, 6)]) == [(0, 3), (3, 5), (5, 6)]


def test_tasks_run_in_parallel(three):
    meeting = threading.Barrier(3, timeout=30)

    in_threads([meeting.wait] * 3)


def test_tasks_can_be_nested(three):
    inner = [lambda: 1, lambda: 2]

    assert in_threads([lambda: sum(in_threads(inner))] * 5) == [3] * 5


def test_error_of_task_is_raised(three):
    with pytest.raises(ZeroDivisionError):
        in_threads([lambda: 1 / 0, lambda: 1.0])


def test_error_on_another_thread_is_raised_in_caller(three):
    meeting = threading.Barrier(3, timeout=30)
    own = threading.get_ident()

    def fail_elsewhere() -> None:
        meeting.wait()
        if threading.get_ident() != own:
            raise ValueError("elsewhere")

    with pytest.raises(ValueError, match=r"^elsewhere$"):
        in_threads([fail_elsewhere] * 3)


def test_call_does_not_wait_for_busy_threads(three):
    busy, release = threading.Barrier(4, timeout=30), threading.Event()

    def hold() -> None:
        busy.wait()
        release.wait(30)

    other = threading.Thread(target=in_threads, args=([hold] * 3,))
    other.start()
    busy.wait()

    assert in_threads([lambda: 1, lambda: 2]) == [1, 2]
    assert other.is_alive()
    release.set()
    other.join()


def test_threads_do_not_import_concurrent_futures():
    code = (
        "import sys; from valor_core.kernels import threads;"
        "threads.thread_count = lambda: 3; threads.in_threads([lambda: 1] * 3);"
        "print('concurrent.futures' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout == "False\n"


def test_worker_process_uses_one_thread():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(thread_count) == 1


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(1, 20))
def test_shares_cover_all_rows_once(costs, least):
    before = np.concatenate([[0], np.cumsum(costs)])

    spans = spans_of_equal_cost(before, least)

    assert [row for span in spans for row in range(*span)] == list(range(len(costs)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_process_starts_its_own_threads(three):
    in_threads([lambda: 1, lambda: 2])  # the threads are there, and are not in the fork

    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(in_threads([lambda: 1, lambda: 2]) != [1, 2])

    assert os.waitpid(child, 0)[1] == 0


def test_nested_tasks_stay_on_their_thread(three):
    def inner() -> set[int]:
        return {threading.get_ident(), *in_threads([threading.get_ident] * 4)}

    found = in_threads([inner] * 3)
    assert [len(threads_of_one) for threads_of_one in found] == [1, 1, 1]
    assert in_threads([lambda: 1, lambda: 2]) == [1, 2]
