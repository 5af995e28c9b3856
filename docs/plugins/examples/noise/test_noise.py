import noise
import pytest
from valor_testing import check_plugin

from valor_core import Registry, evaluate


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("noise", noise)
    return registry


def test_plugin_keeps_the_laws():
    check_plugin(noise)


def test_drop_by_hand(registry, request):
    data = {"reader": "csv", "path": request.path.with_name("answers.csv")}
    metrics = ["noise.Drop", {"name": "noise.Drop", "of": "ExactMatch"}]
    overlap, exact = evaluate(data, metrics, task="text", registry=registry)
    assert overlap.value == (1 + 1) / 2 - (0 + 0.5) / 2
    assert exact.value == (1 + 1) / 2 - (0 + 0) / 2
