from __future__ import annotations

import math
import pickle
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import attrs
import numpy as np
import pytest
from declared import Every, Inner
from hypothesis import given
from hypothesis import strategies as st
from messages import refused

from valor_core.errors import ManifestError, ParameterError
from valor_core.parameters import (
    FromEnvironment,
    NoParameters,
    Within,
    changed_parameters,
    parameter,
    parameter_values,
    parameters,
    parameters_from,
    parameters_of,
)
from valor_core.parameters.declaration import relocate


@parameters
class Needy:
    threshold: float = parameter(help="A threshold.", aliases=("cutoff",))


def expect_refusal(
    values: Mapping[str, Any], cls: type = Every, place: str = "metrics[2]."
) -> None:
    with refused(ParameterError):
        parameters_from(cls, values, place)


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("switch", True, True),
        ("switch", np.True_, True),
        ("count", np.int64(3), 3),
        ("fraction", 1, 1.0),
        ("fraction", np.float32(0.5), 0.5),
        ("rule", "valor", "valor"),
        ("maybe", None, None),
        ("maybe", 2, 2.0),
        ("listed", 1, (1.0,)),
        ("listed", [0, 0.25], (0.0, 0.25)),
        ("listed", np.array([0.25]), (0.25,)),
        ("names", {"b", "a"}, ("a", "b")),
        ("table", {"a": 1}, {"a": 1.0}),
        ("path", "a/b.csv", Path("a/b.csv")),
        ("inner", {"depth": 3}, Inner(depth=3)),
        ("inners", [{"depth": 3}, Inner()], (Inner(depth=3), Inner())),
        ("anything", [1, {"a": None}], [1, {"a": None}]),
        ("bins", 10, 10),
        ("bins", "auto", "auto"),
    ],
)
def test_value_is_converted_to_its_annotation(name: str, given: Any, kept: Any) -> None:
    built = getattr(parameters_from(Every, {name: given}, ""), name)

    assert built == kept
    assert type(built) is type(kept)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("switch", 1),
        ("count", True),
        ("count", 1.0),
        ("count", "1"),
        ("fraction", False),
        ("fraction", None),
        ("word", 3),
        ("rule", 3),
        ("rule", np.zeros(2)),
        ("maybe", "x"),
        ("listed", [0.5, "x"]),
        ("table", [1]),
        ("table", {"a": "x"}),
        ("path", ""),
        ("path", 3),
        ("inner", 3),
        ("inner", {"depth": "x"}),
        ("inners", [{}, {"depth": 0}]),
        ("bins", "most"),
    ],
)
def test_wrong_type_is_rejected_with_path_to_value(name: str, given: Any) -> None:
    expect_refusal({name: given})


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("count", -1),
        ("fraction", 0),
        ("maybe", -1),
        ("listed", [0.5, 1.5]),
        ("table", {"a": -1}),
        ("bins", 1),
        ("word", ""),
        ("names", ["a", "a"]),
        ("fraction", math.nan),
        ("listed", [math.inf]),
        ("fraction", 10**400),
    ],
)
def test_value_out_of_range_is_rejected(name: str, given: Any) -> None:
    expect_refusal({name: given})


def test_path_with_invalid_file_name_is_rejected() -> None:
    assert Every(count=1, path=f"{'é' * 127}/{'x' * 255}").path.parts[1] == "x" * 255
    expect_refusal({"path": f"a/{'é' * 128}/b"})
    expect_refusal({"path": "\ud800.csv"})


@pytest.mark.parametrize(
    ("check", "words", "inside", "outside"),
    [
        (Within(0), "be at least 0", [0, 5], [-1]),
        (Within(0, open_low=True), "be above 0", [1], [0]),
        (Within(high=1), "be at most 1", [1, -5], [2]),
        (Within(high=1, open_high=True), "be below 1", [0], [1]),
        (Within(0, 1), "lie in [0, 1]", [0, 1], [-0.5, 1.5]),
        (Within(0, 1, open_low=True, open_high=True), "lie in (0, 1)", [0.5], [0, 1]),
    ],
)
def test_range_is_described_in_words(
    check: Within, words: str, inside: list[float], outside: list[float]
) -> None:
    assert check.expectation == words
    assert all(map(check, inside))
    assert not any(map(check, outside))


def test_unknown_key_suggests_closest_name() -> None:
    expect_refusal({"fractoin": 1})


def test_dissimilar_key_lists_all_names() -> None:
    expect_refusal({"zzz": 1}, Needy)


def test_key_for_metric_without_parameters_is_rejected() -> None:
    expect_refusal({"zzz": 1}, NoParameters)


def test_key_of_another_type_is_unknown() -> None:
    expect_refusal({True: 1}, Needy)


def test_misspelt_choice_suggests_closest() -> None:
    expect_refusal({"rule": "coko"})


def test_missing_required_parameter_is_named_with_its_kind() -> None:
    expect_refusal({}, Needy)


def test_alias_sets_the_parameter() -> None:
    assert parameters_from(Needy, {"cutoff": 1}, "") == Needy(threshold=1)


def test_parameter_set_by_name_and_alias_is_rejected() -> None:
    expect_refusal({"cutoff": 1, "threshold": 1}, Needy)


def test_text_similar_to_a_number_has_no_yaml_remedy() -> None:
    expect_refusal({"fraction": "1.2.3e5"})


def test_constructor_errors_name_the_class() -> None:
    with pytest.raises(ParameterError, match="Every: count must be at least 0, got -1"):
        Every(count=-1)


def test_parameters_are_frozen_and_keyword_only() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Every().count = 3  # type: ignore[misc]
    with pytest.raises(TypeError, match="positional"):
        Needy(0.5)  # type: ignore[misc]


def test_mapping_is_copied() -> None:
    table = {"a": 1.0}
    built = Every(table=table)

    table["b"] = -1.0

    assert built.table == {"a": 1.0}


def test_undeclared_field_is_rejected_at_class_creation() -> None:
    with pytest.raises(ManifestError, match=r"Bare: width must be declared with parameter\(…\)"):

        @parameters
        class Bare:
            width: int = 3


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (list[int], "Odd: width has an unsupported annotation, list[int]"),
        (tuple[int, str], "Odd: width has an unsupported annotation, tuple[int, str]"),
        (bytes, "Odd: width has an unsupported annotation, <class 'bytes'>"),
        (Mapping[str, set[int]], "Odd: width has an unsupported annotation,"),
    ],
)
def test_unsupported_annotation_is_rejected_at_class_creation(
    annotation: Any,
    message: str,
) -> None:
    body = {"__annotations__": {"width": annotation}, "width": parameter(help="Width.")}

    with pytest.raises(ManifestError, match=re.escape(message)):
        parameters(type("Odd", (), body))


def test_declared_parameters_are_listed() -> None:
    by_name = {entry.name: entry for entry in parameters_of(Every)}

    assert by_name["fraction"].kind.words == "number"
    assert by_name["fraction"].range == "in (0, 1]"
    assert by_name["count"].range == "at least 0"
    assert by_name["word"].range == "not empty"
    assert by_name["maybe"].kind.words == "number or null"
    assert by_name["listed"].kind.words == "list of number"
    assert by_name["table"].kind.words == "table of number"
    assert by_name["inners"].kind.words == "list of table"
    assert by_name["anything"].kind.words == "value"
    assert by_name["bins"].kind.words == "whole number or 'auto'"
    assert by_name["names"].aliases == ("labels",)
    assert by_name["names"].help == "Names."
    assert not by_name["names"].required
    assert parameters_of(Needy)[0].required
    assert [name for name, entry in by_name.items() if entry.kind.has_paths] == [
        "path",
        "inner",
        "inners",
    ]


def test_values_are_recorded_as_json() -> None:
    made = Every(path="a/b.csv", names=["x"], inners=[{"depth": 2}], table={"a": 1})

    values = parameter_values(made)

    assert values["path"] == "a/b.csv"
    assert values["names"] == ["x"]
    assert values["inners"] == [{"depth": 2, "cache": None}]
    assert values["table"] == {"a": 1.0}


numbers = st.floats(0, 1, exclude_min=True)
plain_values = st.fixed_dictionaries(
    {},
    optional={
        "switch": st.booleans(),
        "count": st.integers(0, 10**9),
        "fraction": numbers,
        "word": st.text(min_size=1),
        "rule": st.sampled_from(["coco", "valor"]),
        "maybe": st.none() | numbers,
        "listed": st.lists(numbers),
        "labels": st.lists(st.text(), unique=True),
        "table": st.dictionaries(st.text(), numbers),
        "inner": st.fixed_dictionaries({}, optional={"depth": st.integers(1, 9)}),
        "bins": st.just("auto") | st.integers(2, 100),
    },
)


@given(plain_values)
def test_build_inverts_parameter_values(values: dict[str, Any]) -> None:
    built = parameters_from(Every, values, "")

    assert parameters_from(Every, parameter_values(built), "") == built


def test_relocate_maps_nested_paths() -> None:
    @parameters
    class Deep:
        files: tuple[Path, ...] = parameter(default=(), help="Files.")
        by_name: Mapping[str, Path] = parameter(default={}, help="Files by name.")
        inner: Inner = parameter(default=Inner(), help="Inner.")
        word: str = parameter(default="a", help="A word.")

    made = Deep(files=["a"], by_name={"b": "b"}, inner={"cache": "c"})

    moved = relocate(made, lambda path: Path("root") / path)

    assert moved.files == (Path("root/a"),)
    assert moved.by_name == {"b": Path("root/b")}
    assert moved.inner.cache == Path("root/c")
    assert moved.word == "a"


def test_changed_default_table_of_one_instance_leaves_later_instances_unchanged() -> None:
    @parameters
    class Client:
        headers: Mapping[str, str] = parameter(default={}, help="Headers.")

    cast(dict[str, str], Client().headers)["authorization"] = "s3cret"

    assert Client().headers == {}


def test_environment_value_is_used_but_not_recorded() -> None:
    built = parameters_from(Every, {"word": FromEnvironment("s3cret", "${env:KEY}")}, "")

    assert built.word + "!" == "s3cret!"
    assert parameter_values(built)["word"] == "${env:KEY}"
    assert "s3cret" not in repr(built)
    assert parameter_values(pickle.loads(pickle.dumps(built)))["word"] == "${env:KEY}"


def test_environment_value_is_hidden_in_errors() -> None:
    secret = FromEnvironment("s3cret", "${env:KEY}")

    expect_refusal({"rule": secret, "count": secret})


def test_changed_parameters_are_recorded() -> None:
    given = Every(count=2, listed=(0.5, 0.75), path=Path("a") / "b", inner=Inner(depth=3))

    assert changed_parameters(Every()) == {}
    assert changed_parameters(given, "listed", "no such") == {
        "count": 2,
        "path": "a/b",
        "inner": {"depth": 3, "cache": None},
    }


def test_required_parameter_is_always_recorded() -> None:
    assert changed_parameters(Needy(threshold=0.5)) == {"threshold": 0.5}


def test_parameters_are_equal_by_class_and_values() -> None:
    @parameters
    class Window:
        width: int = parameter(default=3, help="Points.")

    @parameters
    class Step(Window):
        pass

    assert Window(width=5) == Window(width=5) != Window()
    assert len({Window(width=5), Window(width=5), Window(), Step()}) == 3
    assert Window() != Step()
    assert repr(Step(width=2)) == "Step(width=2)"
