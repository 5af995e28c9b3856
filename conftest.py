"""Settings of all tests: no deadline of Hypothesis, since a busy machine is no bug.

``--hypothesis-profile=nightly`` runs 20 times as many examples, and the tests with the marker
``nightly``.
"""

import gc
import os
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["installs", "judges", "messages", "viewers"]

_COMPILED = ("kernels/compiled", "coco_json/compiled_scanner.py")

settings.register_profile("valor", deadline=None, max_examples=20)
settings.register_profile("nightly", deadline=None, max_examples=400)
settings.load_profile("valor")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Set the default action of SIGINT, also for programs that the test starts.

    A shell starts programs in the background with SIGINT ignored, and their children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore the examples of code that needs compiled kernels if the library is not loaded."""
    if "/".join(collection_path.parts[-2:]) not in _COMPILED:
        return None
    family = collection_path.parent.parent.name
    is_numpy = import_module(f"{family}.kernels").KERNELS.library is None
    return is_numpy or None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Give each worker of pytest-xdist neighboring tests, which share fixtures and imports."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist, the hook is unknown
def pytest_xdist_auto_num_workers() -> int:
    """Start one process more than cores for ``-n auto``, since many tests wait for others."""
    return (os.cpu_count() or 1) + 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests with the marker ``nightly`` in other profiles."""
    profile = item.config.getoption("--hypothesis-profile")
    if item.get_closest_marker("nightly") is not None and profile != "nightly":
        pytest.skip("runs with --hypothesis-profile=nightly")


def pytest_collection() -> None:
    """Disable the garbage collector while tests are collected, since nothing is freed."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude the million objects of the collected tests from later garbage collections."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the programs that adapters were not tested with."""
    skipped = (report.longrepr for report in terminalreporter.stats.get("skipped", ()))
    reasons = [one[2] for one in skipped if isinstance(one, tuple)]
    hosts = [one.partition("host ")[2].partition(":")[0] for one in reasons if "host " in one]
    if hosts:
        names = ", ".join(sorted(hosts))
        terminalreporter.write_line(f"Not tested, since they are not installed: {names}")
