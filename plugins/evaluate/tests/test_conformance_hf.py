"""Conformance of modules of `evaluate`, on texts and on classified items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from valor_testing import cases, check_metric

from valor_core import Registry

MODULES = Path(__file__).parent / "evaluate_modules"


def module(name: str, **more: Any) -> dict[str, Any]:
    return {"module": MODULES / name, "allow_code": True} | more


PARAMETERS = {"hf.Module": [module("shared_words", seed=7)]}
"""Module that accepts items of both tasks."""

OF_ONE_TASK = [
    ("classification", module("hits", options={"average": "none"})),
    ("text", module("answered", columns={"predictions.doubt": 0})),
]


@pytest.mark.parametrize(
    "check", [pytest.param(check, id=name) for name, check in cases("hf", parameters=PARAMETERS)]
)
def test_plugin_conforms(check: Callable[[], None]) -> None:
    check()


@pytest.mark.parametrize(("task", "parameters"), OF_ONE_TASK)
def test_modules_of_other_shapes_conform(task: str, parameters: dict[str, Any]) -> None:
    spec = Registry().metric("hf.Module", task)

    check_metric(spec, parameters=parameters)
