from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_detection.arrays import from_arrays as constructors

from valor_core import Registry
from valor_core.errors import SchemaError
from valor_core.readers import reader_of
from valor_core.specs import TaskSpec


def test_suggested_batch_constructor_exists() -> None:
    answer = Registry().arrays_remedy("detection")

    assert answer is not None
    for name in ("from_arrays", "from_supervision", "from_torchvision"):
        assert callable(getattr(constructors, name))
        assert name in answer


def test_core_tasks_have_remedy_for_arrays() -> None:
    registry = Registry()

    tasks = registry.manifest("core").of(TaskSpec)

    assert [spec.name for spec in tasks if not registry.arrays_remedy(spec.short_name)] == []


class Table:
    columns = ("label", "score")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (([0, 1], [[0.2, 0.8], [0.5, 0.5]]), "expected items or a batch, got tuple"),
        ((np.zeros(2), np.zeros((2, 2))), "expected items or a batch, got tuple"),
        (np.zeros((2, 2)), "expected items or a batch, got ndarray"),
        (Table(), "expected items or a batch, got Table"),
    ],
)
def test_arrays_suggest_batch_constructor(data: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        reader_of(data, "classification", Registry())
