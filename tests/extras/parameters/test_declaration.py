from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from declared import Every
from messages import refused

from valor_core.errors import ParameterError
from valor_core.parameters import parameters_from


def expect_refusal(
    values: Mapping[str, Any], cls: type = Every, place: str = "metrics[2]."
) -> None:
    with refused(ParameterError):
        parameters_from(cls, values, place)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("1e-3", "0.001"), ("1e-7", "1.0e-07"), ("2.5E20", "2.5e+20"), ("1e20", "1.0e+20")],
)
def test_a_number_that_yaml_takes_for_text_is_answered_with_one_that_it_does_not(
    text: str, remedy: str
) -> None:
    import yaml

    expect_refusal({"fraction": text})
    assert yaml.safe_load(remedy) == float(text)
