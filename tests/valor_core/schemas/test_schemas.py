from __future__ import annotations

import pytest

from valor_core.schemas import Batch
from valor_core.specs import TaskSpec
from valor_core.specs.registry import Registry
from valor_core.specs.spec import import_object


@pytest.mark.parametrize("spec", Registry().manifest("core").of(TaskSpec), ids=lambda s: s.name)
def test_every_task_of_core_has_a_batch_and_items(spec: TaskSpec) -> None:
    made = Registry().batch_class(spec.short_name)
    batch = made.of([])

    assert isinstance(batch, Batch)
    assert (batch.task, len(batch), list(batch.items())) == (spec.short_name, 0, [])
    assert import_object(spec.item).__name__.casefold() == spec.short_name
