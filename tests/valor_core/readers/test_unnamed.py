from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.readers.resolve import of_two_sides
from valor_core.specs.registry import Registry


@pytest.mark.parametrize("listed", [list, tuple, np.array])
def test_references_and_responses_become_text_batch(listed: Any) -> None:
    batch, task = of_two_sides(listed(["Rome"]), listed(["rome"]), Registry(), "text", ())

    assert task == "text"
    (item,) = batch.items()
    assert (item.references, item.response) == (("Rome",), "rome")
    assert batch.datums.numbered


def test_sides_of_different_length_are_rejected() -> None:
    with pytest.raises(SchemaError, match="expected one length, got 1 and 2"):
        of_two_sides(["Rome"], ["rome", "paris"], Registry(), "text", ())


def test_sides_without_matching_task_are_rejected() -> None:
    with pytest.raises(SchemaError, match="expected two sides of one task"):
        of_two_sides(np.zeros((2, 2)), object(), Registry(), None, ())


def test_sides_invalid_for_task_suggest_conversion() -> None:
    with pytest.raises(SchemaError, match="expected two sides of text, got list of 1"):
        of_two_sides([1], {"a": 1}, Registry(), "text", ())
