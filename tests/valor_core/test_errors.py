from __future__ import annotations

import pickle

import numpy as np
import pytest

from valor_core import errors
from valor_core.errors import (
    ConfigError,
    ParameterError,
    ValorError,
    and_more,
    did_you_mean,
    error_at,
    shown,
)

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, ValorError)
]


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_comes_through_pickling_with_its_remedy(error: type[ValorError]) -> None:
    raised = error("place: expected this, got that", "Do so.")

    back = pickle.loads(pickle.dumps(raised))

    assert type(back) is error
    assert str(back) == "place: expected this, got that\nDo so."
    assert (back.message, back.remedy) == ("place: expected this, got that", "Do so.")


@pytest.mark.parametrize("error", CLASSES)
def test_no_error_is_a_key_error_whose_text_has_quotes(error: type[ValorError]) -> None:
    assert str(error("place: expected this")) == "place: expected this"


def test_a_parameter_error_can_be_given_a_better_place() -> None:
    error = ParameterError("width must be at least 0, got -1", "Write 0.", "Smoothing: ")

    better = error.at("config.yaml: metrics[0].")

    assert str(error) == "Smoothing: width must be at least 0, got -1\nWrite 0."
    assert str(better) == "config.yaml: metrics[0].width must be at least 0, got -1\nWrite 0."
    assert pickle.loads(pickle.dumps(better)).at("x: ").message == (
        "x: width must be at least 0, got -1"
    )


def test_a_path_or_key_cannot_send_a_terminal_commands() -> None:
    error = ValorError("\x1b[31mfoo.csv: expected\nthis, \u202egot that", "Do:\nrm \x9b2J")

    assert str(error) == "\\x1b[31mfoo.csv: expected this, \\u202egot that\nDo:\nrm \\x9b2J"
    assert error.at("a\x07: ").message == "a\\x07: \\x1b[31mfoo.csv: expected this, \\u202egot that"


def test_a_parameter_error_with_control_characters_comes_through_pickling() -> None:
    error = ParameterError("a\x1b: unknown key", None, "c\x1b.yaml: ")

    assert (
        str(pickle.loads(pickle.dumps(error))) == str(error) == ("c\\x1b.yaml: a\\x1b: unknown key")
    )


def test_a_value_that_python_cannot_print_is_no_traceback() -> None:
    assert shown(10**5000) == "int too large to show"


def test_a_cell_of_400_000_characters_gives_a_short_message() -> None:
    cell = "x" * 400_000

    for error in (ValorError(f"huge.csv, row 2: found {cell!r} twice"), ParameterError(cell)):
        assert len(str(error)) < 1000
        assert pickle.loads(pickle.dumps(error)).at("a: ").message.startswith("a: ")
    assert str(ValorError(f"huge.csv: found {cell!r} twice")).endswith("xxx' twice")


def test_a_long_value_is_cut_short() -> None:
    text = shown("a" * 200)

    assert len(text) == 80
    assert text.endswith("…")


def test_an_array_is_shown_by_its_type_and_shape() -> None:
    assert shown(np.zeros((2, 3), np.float32)) == "array of float32, shape (2, 3)"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("acuracy", "Did you mean 'Accuracy'?"),
        ("ROCAUV", "Did you mean 'ROCAUC'?"),
        ("zzzzzz", None),
    ],
)
def test_the_nearest_name_is_suggested_whatever_the_case(name: str, remedy: str | None) -> None:
    assert did_you_mean(name, ["Accuracy", "ROCAUC"]) == remedy


def test_what_follows_the_first_is_counted() -> None:
    assert (and_more(0), and_more(1), and_more(1234)) == ("", " (and 1 more)", " (and 1,234 more)")


def test_an_error_is_found_at_a_place_and_keeps_its_class_remedy_and_cause() -> None:
    cause = OSError("gone")

    with (
        pytest.raises(ConfigError, match=r"c\.yaml: task: unknown") as caught,
        error_at("c.yaml: "),
    ):
        raise ConfigError("task: unknown", "Name one.") from cause

    assert caught.value.__cause__ is cause


def test_an_error_on_one_line_goes_on_in_lower_case() -> None:
    assert ConfigError("a: b", "Install it with:\npip").one_line == "a: b; install it with:; pip"
    assert ConfigError("a: b").one_line == "a: b"
