from __future__ import annotations

import signal
import threading

import pytest

from valor_core.interrupts import uninterrupted


@pytest.mark.usefixtures("interruptible")
def test_a_signal_waits_for_the_end_of_the_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == ["all of it"]


def test_handlers_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with uninterrupted():
        pass

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_an_error_of_the_block_is_raised_and_handlers_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="own"), uninterrupted():
        raise ValueError("own")

    assert signal.getsignal(signal.SIGINT) == before


def test_other_threads_have_a_plain_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            done.append(threading.current_thread().name)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()

    assert done == ["worker"]
