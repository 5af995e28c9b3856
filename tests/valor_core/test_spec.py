from __future__ import annotations

import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from valor_core import MetricSpec, Range, Reference, metric
from valor_core.errors import ManifestError
from valor_core.spec import Spec, fold


@pytest.mark.parametrize("name", ["ap", "AP", ".AP", "Detection.AP", "detection.", "a.b.c", 3])
def test_a_name_must_have_a_namespace(name: Any) -> None:
    with pytest.raises(ManifestError, match=r"^Spec: name must look like 'namespace\.Name', got"):
        Spec(name=name, summary="", implementation="m:f")


@pytest.mark.parametrize("implementation", ["module", "module.name", ":name", "module:", None])
def test_an_implementation_must_name_module_and_object(implementation: Any) -> None:
    with pytest.raises(
        ManifestError, match=r"implementation must look like 'package\.module:name', got"
    ):
        Spec(name="a.B", summary="", implementation=implementation)


@pytest.mark.parametrize("name", ["average_precision", "AveragePrecision", "Average-Precision"])
def test_names_are_compared_without_case_and_marks(name: str) -> None:
    assert fold(name) == "averageprecision"


@pytest.mark.parametrize(
    ("range", "words", "inside", "outside"),
    [
        (Range(), "any number", [-1e9, 1e9], []),
        (Range(0), "0 or more", [0, 5], [-0.1]),
        (Range(None, 1), "up to 1", [-5, 1], [1.1]),
        (Range(0, 1), "0 to 1", [0, 1], [-0.1, 1.1]),
    ],
)
def test_a_range_has_words_and_members(
    range: Range, words: str, inside: list[float], outside: list[float]
) -> None:
    assert str(range) == words
    assert all(number in range for number in inside)
    assert not any(number in range for number in outside)


def test_a_reference_is_written_with_what_it_has() -> None:
    assert str(Reference("A paper", "eq. 3", "https://example.org")) == (
        "A paper, eq. 3, https://example.org"
    )
    assert str(Reference("A paper")) == "A paper"


def test_a_metric_is_identified_by_name_and_version() -> None:
    spec = MetricSpec(
        name="a.B",
        task="text",
        summary="",
        implementation="m:f",
        higher_is_better=None,
        range=Range(),
        version=3,
    )

    assert (spec.namespace, spec.short_name, spec.identity) == ("a", "B", "a.B@3")


def half(item: Any) -> float:
    return 0.5


def test_a_decorated_metric_pickles_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("a_module_of_metrics")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(half, "__module__", module.__name__)
    module.half = metric("attic.Half", task="text")(half)  # type: ignore[attr-defined]

    assert pickle.loads(pickle.dumps(module.half)) is module.half


def test_a_decorated_metric_that_others_cannot_find_does_not_pickle() -> None:
    elsewhere = metric("attic.Half", task="text")(half)

    with pytest.raises(
        pickle.PicklingError, match=r"attic\.Half: expected the metric at .*:half, where other"
    ):
        pickle.dumps(elsewhere)
