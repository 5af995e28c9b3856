from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import ReportError
from valor_core.parameters import FromEnvironment
from valor_core.results.json_values import as_json


def test_environment_value_is_recorded_as_reference() -> None:
    assert as_json([FromEnvironment("s3cret", "${env:KEY}")], "x") == ["${env:KEY}"]


def test_json_value_is_copied() -> None:
    plain = {"a": 0.5, "b": "text"}

    told = as_json(plain, "details")

    assert told == plain
    assert told is not plain


def test_set_becomes_sorted_list() -> None:
    assert as_json({"b", "a"}, "details") == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0.5, math.nan, "text"], "details[1] must be finite, got nan"),
        ({"a": np.array([[1.0, np.inf]])}, "details['a'][0][1] must be finite, got inf"),
    ],
)
def test_non_finite_number_is_rejected_with_path(value: Any, message: str) -> None:
    with pytest.raises(ReportError, match=re.escape(message)):
        as_json(value, "details")
