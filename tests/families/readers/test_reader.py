from __future__ import annotations

from valor_detection import arrays

from valor_core import Registry
from valor_core.plugin import TaskSpec


def test_the_function_that_makes_a_batch_of_boxes_is_where_the_answer_says() -> None:
    answer = Registry().find(TaskSpec, "detection").arrays

    assert answer is not None
    for name in ("from_arrays", "from_supervision", "from_torchvision"):
        assert callable(getattr(arrays, name))
        assert name in answer
