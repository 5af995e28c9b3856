from __future__ import annotations

import click
import pytest
from valor_cli.program.values import Number, OneOf, WholeNumber


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(WholeNumber(1), "1", 1), (Number(0), "0", 0.0), (OneOf(["a", "b"]), "b", "b")],
)
def test_valid_values_are_converted(kind, text, value):
    assert kind.convert(text, None, None) == value


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        (WholeNumber(1), "0", "expected a whole number of at least 1, got '0'"),
        (WholeNumber(1), "1.5", "expected a whole number of at least 1, got '1.5'"),
        (Number(0), "-1", "expected a number of at least 0, got '-1'"),
        (Number(0), "much", "expected a number of at least 0, got 'much'"),
        (OneOf(["worse", "differ"]), "wrose", "expected worse or differ, got 'wrose'"),
    ],
)
def test_invalid_values_state_expected_type(kind, text, error):
    with pytest.raises(click.BadParameter) as caught:
        kind.convert(text, None, None)

    assert caught.value.message == error
