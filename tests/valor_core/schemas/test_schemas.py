from __future__ import annotations

import pytest

from valor_core.errors import SchemaError
from valor_core.schemas import TASKS, Batch, batch_class


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_a_batch_that_can_be_empty(task: str) -> None:
    batch = batch_class(task).of([])

    assert isinstance(batch, Batch)
    assert (batch.task, len(batch), list(batch.items())) == (task, 0, [])


def test_an_unknown_task_is_answered_with_the_nearest() -> None:
    with pytest.raises(SchemaError) as caught:
        batch_class("clasification")

    assert str(caught.value).startswith("task: expected one of classification, ")
    assert str(caught.value).endswith("got 'clasification'\nDid you mean 'classification'?")
