"""Put the folder of each test on the path, as running pytest in that folder does."""

import sys
from pathlib import Path

import pytest

collect_ignore = ["pinball"]  # built and tested in a copy by `test_pinball_build.py`


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Make the plugin beside a test importable, also for processes that the test starts."""
    folder = str(Path(collector.path).parent)
    if collector.path.name.startswith("test_") and folder not in sys.path:
        sys.path.append(folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Check the engine with all laws in the nightly tests only, since it starts many processes."""
    for item in items:
        if item.path.name == "test_pool.py" and item.name == "test_plugin_keeps_the_laws":
            item.add_marker(pytest.mark.nightly)
