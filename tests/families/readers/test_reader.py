from __future__ import annotations

from valor_detection import arrays

from valor_core.readers.reader import (
    _MADE_OF_ARRAYS,
)


def test_the_function_that_makes_a_batch_of_boxes_is_where_the_answer_says() -> None:
    for name in ("from_arrays", "from_supervision", "from_torchvision"):
        assert callable(getattr(arrays, name))
        assert name in _MADE_OF_ARRAYS["detection"]
