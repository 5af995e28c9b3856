import pytest
import spans
from valor_testing import check_plugin

from valor_core import Registry, evaluate


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("spans", spans)
    return registry


def test_plugin_keeps_the_laws(request):
    table = {"path": request.path.with_name("sentences.csv")}
    check_plugin(spans, readers={"tables.table": table})


def test_spans_of_tags():
    tags = ["I-a", "I-a", "B-a", "I-b", "O", "B-b"]
    assert spans.spans_of(tags) == {("a", 0, 2), ("a", 2, 3), ("b", 3, 4), ("b", 5, 6)}


def test_f1_by_hand(registry, request):
    # city: 1 right, 2 true, 2 predicted; name: 1 right, 2 true, 1 predicted.
    data = {"reader": "table", "path": request.path.with_name("sentences.csv")}
    metrics = [{"name": "F1", "average": average} for average in ("micro", "macro", "none")]
    micro, macro, city, name = evaluate(data, metrics, task="tags", registry=registry)
    assert micro.value == 2 * 2 / (4 + 3)
    assert (city.value, name.value) == (2 * 1 / (2 + 2), 2 * 1 / (2 + 1))
    assert macro.value == pytest.approx((city.value + name.value) / 2)


def test_metadata_are_slices(registry, request):
    data = {"reader": "table", "path": request.path.with_name("sentences.csv")}
    report = evaluate(data, ["spans.F1"], slices=["lang"], registry=registry)
    assert report.slice(lang="en")["F1"].value == 0
