"""The mock endpoint, one process for all tests of the family."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # where the parts of the mock endpoint are found

from mock_endpoint import MockEndpoint, mock_endpoint


@pytest.fixture(scope="session")
def running_endpoint() -> Iterator[MockEndpoint]:
    """The process; tests take `endpoint`."""
    with mock_endpoint() as running:
        yield running


@pytest.fixture
def endpoint(running_endpoint: MockEndpoint) -> MockEndpoint:
    """A judge's endpoint on loopback, without faults and with its counters at zero."""
    running_endpoint.reset()
    return running_endpoint
