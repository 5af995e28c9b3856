from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core.errors import ConfigError
from valor_core.plugin import SchemaError
from valor_core.plugins.registry import Registry
from valor_core.readers.unnamed import of_table, of_two_sides


def test_what_is_no_table_is_left_alone() -> None:
    assert of_table(np.zeros(3), Registry(), None, ()) is None


def test_a_table_that_no_reader_knows_is_refused_with_its_columns_and_the_readers() -> None:
    with pytest.raises(ConfigError) as error:
        of_table({"foo": [1], "bar": [2]}, Registry(), "text", ())

    assert str(error.value).startswith(
        "data: no reader knows what these columns are: 'foo', 'bar'\n"
        "Name a reader and its columns: {'reader': "
    )
    assert "Readers of tables are: table" in str(error.value)


@pytest.mark.parametrize("listed", [list, tuple, np.array])
def test_references_and_responses_are_text(listed: Any) -> None:
    batch, task = of_two_sides(listed(["Rome"]), listed(["rome"]), Registry(), "text", ())

    assert task == "text"
    (item,) = batch.items()
    assert (item.references, item.response) == (("Rome",), "rome")
    assert batch.datums.numbered


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(SchemaError) as error:
        of_two_sides(["Rome"], ["rome", "paris"], Registry(), "text", ())

    assert str(error.value) == "references and responses: expected as many, got 1 and 2"


def test_sides_that_no_task_has_are_refused_in_few_words() -> None:
    with pytest.raises(SchemaError) as error:
        of_two_sides(np.zeros((2, 2)), object(), Registry(), None, ())

    assert str(error.value) == (
        "data: expected two sides of one task, got ndarray of shape (2, 2) and object\n"
        "Say what they are: evaluate(y_true, y_score, metrics, task='classification')"
    )


def test_sides_that_a_named_task_does_not_have_are_answered_with_what_to_make_of_them() -> None:
    with pytest.raises(SchemaError) as error:
        of_two_sides([1], {"a": 1}, Registry(), "text", ())

    assert str(error.value) == (
        "data: expected two sides of text, got list of 1 and dict of 1\n"
        "Make an item of each row with: Text(uid, query=…, response=…, references=…)"
    )
