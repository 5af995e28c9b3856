from __future__ import annotations

from typing import Any

import pytest

from valor_core import Evaluator, metric
from valor_core.errors import SchemaError
from valor_core.readers import reader_of
from valor_core.specs import Registry


def read(data: Any, task: str) -> None:
    reader_of(data, task, Registry())


def stream(data: Any, task: str) -> None:
    @metric("mylab.One", task=task)
    def one(item: Any) -> float:
        return 1.0

    Evaluator([one], task).update(data)


class Table:
    columns = ("label", "score")


@pytest.mark.parametrize(
    "task",
    [
        "detection",
        "segmentation",
        "text",
    ],
)
@pytest.mark.parametrize("hand_over", [read, stream])
def test_unsupported_table_type_is_rejected_by_every_task(hand_over: Any, task: str) -> None:
    with pytest.raises(SchemaError, match="expected items or a batch, got Table"):
        hand_over(Table(), task)
