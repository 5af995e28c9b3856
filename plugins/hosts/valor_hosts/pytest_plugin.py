"""Plugin of pytest: the fixture `valor`, whose code is imported when a test uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from valor_hosts.checks import Checks


@pytest.fixture
def valor(record_property: Callable[[str, object], None]) -> Checks:
    """Evaluate data in a test: ``valor.check(truths, predictions, metrics, require=…)``."""
    from valor_hosts.checks import Checks

    return Checks(record_property)
