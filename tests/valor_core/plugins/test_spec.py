from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from valor_core import specs
from valor_core.errors import BrokenPluginError, ManifestError
from valor_core.specs import MetricSpec, Range, Reference
from valor_core.specs.names import folded_name
from valor_core.specs.spec import KINDS, Spec


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ap", "must look like 'namespace.Name', got 'ap'"),
        ("AP", "must look like 'namespace.Name', got 'AP'"),
        (".AP", "must look like 'namespace.Name', got '.AP'"),
        ("Detection.AP", "got 'Detection.AP'"),
        ("detection.", "got 'detection.'"),
        ("a.b.c", "must look like 'namespace.Name', got 'a.b.c'"),
        (3, "name must look like 'namespace.Name', got 3"),
    ],
)
def test_name_must_have_namespace(name: Any, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        Spec(name=name, summary="", implementation="m:f")


@pytest.mark.parametrize(
    ("implementation", "message"),
    [
        ("module", "like 'package.module:name', got 'module'"),
        ("module.name", "got 'module.name'"),
        (":name", "like 'package.module:name', got ':name'"),
        ("module:", "'package.module:name', got 'module:'"),
        (None, "must look like 'package.module:name', got None"),
    ],
)
def test_implementation_must_be_import_string(implementation: Any, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        Spec(name="a.B", summary="", implementation=implementation)


@pytest.mark.parametrize("name", ["average_precision", "AveragePrecision", "Average-Precision"])
def test_fold_ignores_case_underscores_and_hyphens(name: str) -> None:
    assert folded_name(name) == "averageprecision"


@pytest.mark.parametrize(
    ("range", "words", "inside", "outside"),
    [
        (Range(), "any number", [-1e9, 1e9], []),
        (Range(0), "0 or more", [0, 5], [-0.1]),
        (Range(None, 1), "up to 1", [-5, 1], [1.1]),
        (Range(0, 1), "0 to 1", [0, 1], [-0.1, 1.1]),
    ],
)
def test_range_text_and_membership(
    range: Range, words: str, inside: list[float], outside: list[float]
) -> None:
    assert str(range) == words
    assert all(number in range for number in inside)
    assert not any(number in range for number in outside)


def test_reference_text_skips_missing_parts() -> None:
    assert str(Reference("A paper", "eq. 3", "https://example.org")) == (
        "A paper, eq. 3, https://example.org"
    )
    assert str(Reference("A paper")) == "A paper"


SPEC = Spec(name="a.B", summary="", implementation="m:f")


def test_identity_is_name_and_version() -> None:
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


@pytest.mark.parametrize(("higher_is_better", "best"), [(True, 1), (False, None), (None, None)])
def test_best_value_is_end_of_range(higher_is_better: bool | None, best: float | None) -> None:
    spec = MetricSpec(
        name="mylab.Overlap",
        task="text",
        summary="Shared words",
        implementation="mylab.overlap:score",
        higher_is_better=higher_is_better,
        range=Range(None, 1),
        references=(Reference("Overlap"),),
    )
    assert spec.best_value == best


def test_parameter_class_is_imported_on_first_use(mylab: Path) -> None:
    spec = evolve(SPEC, parameters="mylab.parameters:DictionaryParameters")
    assert "mylab.parameters" not in sys.modules

    assert spec.parameter_class.__name__ == "DictionaryParameters"
    assert spec.parameter_class is sys.modules["mylab.parameters"].DictionaryParameters
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no_such_package:P", "its parameters no_such_package:P cannot be imported"),
        ("json:P", "its parameters json:P cannot be imported"),
    ],
)
def test_missing_parameter_class_is_broken_plugin(place: str, message: str) -> None:
    with pytest.raises(BrokenPluginError, match=re.escape(message)):
        evolve(SPEC, parameters=place).parameter_class  # noqa: B018


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("json:dumps", "expected parameters to be a parameter"),
        ("json:JSONDecoder", "found <class 'json.decoder.JSONDecoder'>"),
    ],
)
def test_other_class_as_parameters_is_rejected(place: str, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        evolve(SPEC, parameters=place).parameter_class  # noqa: B018


def test_every_kind_of_spec_is_public_and_has_a_name() -> None:
    assert {kind.__name__ for kind in KINDS.values()} <= {*specs.__all__}
    assert len({kind.kind for kind in KINDS.values()}) == len(KINDS)
