from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

from valor_core.evaluation.engines import defer_signals


@pytest.mark.usefixtures("interruptible")
def test_signal_is_deferred_to_end_of_block() -> None:
    done = []

    def work() -> None:
        with defer_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == ["all of it"]


def test_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with defer_signals():
        pass

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


@pytest.mark.usefixtures("interruptible")
def test_signal_while_restoring_handlers_restores_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    set_handler = signal.signal

    def interrupted(number: int, handler: Any) -> Any:
        replaced = set_handler(number, handler)
        signal.raise_signal(signal.SIGINT)
        return replaced

    def work() -> None:
        with defer_signals():
            monkeypatch.setattr(signal, "signal", interrupted)

    with pytest.raises(KeyboardInterrupt):
        work()

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_error_in_block_restores_handlers() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="own"), defer_signals():
        raise ValueError("own")

    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.usefixtures("interruptible")
def test_signal_is_raised_after_failing_block() -> None:
    def work() -> None:
        with defer_signals():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("own")

    with pytest.raises(KeyboardInterrupt) as caught:
        work()

    assert isinstance(caught.value.__context__, ValueError)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_signals_are_not_deferred_in_other_threads() -> None:
    done = []

    def work() -> None:
        with defer_signals():
            done.append(threading.current_thread().name)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()

    assert done == ["worker"]
