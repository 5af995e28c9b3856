from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import refused

from valor_core.errors import ConfigError
from valor_core.plugin import SchemaError
from valor_core.plugins.registry import Registry
from valor_core.readers.unnamed import of_table, of_two_sides


def test_what_is_no_table_is_left_alone() -> None:
    assert of_table(np.zeros(3), Registry(), None, ()) is None


def test_a_table_that_no_reader_knows_is_refused_with_its_columns_and_the_readers() -> None:
    with refused(ConfigError):
        of_table({"foo": [1], "bar": [2]}, Registry(), "text", ())


def test_a_table_of_a_task_without_readers_of_tables_is_answered_with_what_makes_a_batch() -> None:
    with refused(ConfigError):
        of_table({"foo": [1], "bar": [2]}, Registry(), "segmentation", ())


@pytest.mark.parametrize("listed", [list, tuple, np.array])
def test_references_and_responses_are_text(listed: Any) -> None:
    batch, task = of_two_sides(listed(["Rome"]), listed(["rome"]), Registry(), "text", ())

    assert task == "text"
    (item,) = batch.items()
    assert (item.references, item.response) == (("Rome",), "rome")
    assert batch.datums.numbered


def test_sides_of_different_length_are_refused() -> None:
    with refused(SchemaError):
        of_two_sides(["Rome"], ["rome", "paris"], Registry(), "text", ())


def test_sides_that_no_task_has_are_refused_in_few_words() -> None:
    with refused(SchemaError):
        of_two_sides(np.zeros((2, 2)), object(), Registry(), None, ())


def test_sides_that_a_named_task_does_not_have_are_answered_with_what_to_make_of_them() -> None:
    with refused(SchemaError):
        of_two_sides([1], {"a": 1}, Registry(), "text", ())
