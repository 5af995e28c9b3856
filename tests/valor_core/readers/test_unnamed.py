from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.readers.resolve import of_two_sides
from valor_core.specs.registry import Registry


@pytest.mark.parametrize("listed", [list, tuple, np.array])
def test_references_and_responses_are_text(listed: Any) -> None:
    batch, task = of_two_sides(listed(["Rome"]), listed(["rome"]), Registry(), "text", ())

    assert task == "text"
    (item,) = batch.items()
    assert (item.references, item.response) == (("Rome",), "rome")
    assert batch.datums.numbered


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(SchemaError, match="expected one length, got 1 and 2"):
        of_two_sides(["Rome"], ["rome", "paris"], Registry(), "text", ())


def test_sides_that_no_task_has_are_refused_in_few_words() -> None:
    with pytest.raises(SchemaError, match="expected two sides of one task"):
        of_two_sides(np.zeros((2, 2)), object(), Registry(), None, ())


def test_sides_that_a_named_task_does_not_have_are_answered_with_what_to_make_of_them() -> None:
    with pytest.raises(SchemaError, match="expected two sides of text, got list of 1"):
        of_two_sides([1], {"a": 1}, Registry(), "text", ())
