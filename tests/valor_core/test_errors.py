from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from valor_core import errors
from valor_core.errors import (
    ConfigError,
    MissingExtraError,
    ParameterError,
    ValorError,
    and_more,
    described,
    did_you_mean,
    error_at,
    short_repr,
)

ROOT = Path(__file__).parents[2]
CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, ValorError)
]


@pytest.mark.parametrize("error", CLASSES)
def test_errors_keep_remedy_after_pickling(error: type[ValorError]) -> None:
    raised = error("place: expected this, got that", "Do so.")

    back = pickle.loads(pickle.dumps(raised))

    assert type(back) is error
    assert str(back) == "place: expected this, got that\nDo so."
    assert (back.message, back.remedy) == ("place: expected this, got that", "Do so.")


@pytest.mark.parametrize("error", CLASSES)
def test_no_error_is_a_key_error(error: type[ValorError]) -> None:
    assert str(error("place: expected this")) == "place: expected this"


def test_parameter_error_can_change_its_position() -> None:
    error = ParameterError("width must be at least 0, got -1", "Write 0.", "Smoothing: ")

    better = error.at("config.yaml: metrics[0].")

    assert str(error) == "Smoothing: width must be at least 0, got -1\nWrite 0."
    assert str(better) == "config.yaml: metrics[0].width must be at least 0, got -1\nWrite 0."
    assert pickle.loads(pickle.dumps(better)).at("x: ").message == (
        "x: width must be at least 0, got -1"
    )


def test_control_characters_are_escaped() -> None:
    error = ValorError("\x1b[31mfoo.csv: expected\nthis, \u202egot that", "Do:\nrm \x9b2J")

    assert str(error) == "\\x1b[31mfoo.csv: expected this, \\u202egot that\nDo:\nrm \\x9b2J"
    assert error.at("a\x07: ").message == "a\\x07: \\x1b[31mfoo.csv: expected this, \\u202egot that"


def test_parameter_error_with_control_characters_can_be_pickled() -> None:
    error = ParameterError("a\x1b: unknown key", None, "c\x1b.yaml: ")

    assert (
        str(pickle.loads(pickle.dumps(error))) == str(error) == ("c\\x1b.yaml: a\\x1b: unknown key")
    )


def test_value_with_failing_repr_is_shown() -> None:
    assert short_repr(10**5000) == "int too large to show"


def test_long_cell_gives_short_message() -> None:
    cell = "x" * 400_000

    for error in (ValorError(f"huge.csv, row 2: found {cell!r} twice"), ParameterError(cell)):
        assert len(str(error)) < 1000
        assert pickle.loads(pickle.dumps(error)).at("a: ").message.startswith("a: ")
    assert str(ValorError(f"huge.csv: found {cell!r} twice")).endswith("xxx' twice")


def test_long_value_is_shortened() -> None:
    text = short_repr("a" * 200)

    assert len(text) == 80
    assert text.endswith("…")


def test_array_is_shown_by_type_and_shape() -> None:
    assert short_repr(np.zeros((2, 3), np.float32)) == "array of float32, shape (2, 3)"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("acuracy", "Did you mean 'Accuracy'?"),
        ("ROCAUV", "Did you mean 'ROCAUC'?"),
        ("zzzzzz", None),
    ],
)
def test_closest_name_is_suggested_ignoring_case(name: str, remedy: str | None) -> None:
    assert did_you_mean(name, ["Accuracy", "ROCAUC"]) == remedy


def test_further_findings_are_counted() -> None:
    assert (and_more(0), and_more(1), and_more(1234)) == ("", " (and 1 more)", " (and 1,234 more)")


@pytest.mark.parametrize(
    ("remedy", "reported"),
    [
        ("/a/bin/python -m pip install rich", "pip install rich"),
        ("'/a b/python' -m pip uninstall rich", "pip uninstall rich"),
        ("'/a b/uv' pip install --python /env/bin/python rich", "uv pip install rich"),
        (f"python -m pip install -e {ROOT / 'plugins' / 'text'}", "pip install -e plugins/text"),
        (f"python -m pip install -e '{ROOT}/plugins/x[y]'", "pip install -e 'plugins/x[y]'"),
    ],
)
def test_reported_remedy_has_no_paths_of_this_machine(remedy: str, reported: str) -> None:
    error = MissingExtraError("gallery: drawing needs PIL", f"Install it with: {remedy}")

    assert error.one_line == f"gallery: drawing needs PIL; install it with: {reported}"
    assert str(error).endswith(remedy)


def test_error_at_adds_location_to_other_exceptions() -> None:
    with pytest.raises(KeyError) as caught, error_at("a.json: "), error_at("objects[2]: "):
        {}["points"]

    caught.value.add_note("Seen on a Monday.")
    assert described(caught.value) == "a.json: objects[2]: KeyError: 'points'"


def test_error_at_keeps_class_remedy_and_cause() -> None:
    cause = OSError("gone")

    with (
        pytest.raises(ConfigError, match=r"c\.yaml: task: unknown") as caught,
        error_at("c.yaml: "),
    ):
        raise ConfigError("task: unknown", "Name one.") from cause

    assert caught.value.__cause__ is cause


def test_one_line_error_continues_in_lower_case() -> None:
    assert ConfigError("a: b", "Install it with:\npip").one_line == "a: b; install it with:; pip"
    assert ConfigError("a: b").one_line == "a: b"
