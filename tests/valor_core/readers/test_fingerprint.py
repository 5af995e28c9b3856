from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core.readers import fingerprint
from valor_core.schemas.datum import Datums, LazyColumns
from valor_core.schemas.text.batch import Text, TextBatch

TRUTHS, SCORES = [0, 1], [[0.75, 0.25], [0.5, 0.5]]


def test_text_is_told_from_other_text() -> None:
    prints = {
        fingerprint(TextBatch.of([Text("q1", response=response, contexts=contexts)]))
        for response, contexts in [("a", []), ("a", [""]), ("a", ["b", "c"]), ("a", ["bc"])]
    }

    assert len(prints) == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), ("1", 1), ([], ()), (None, "None"), ({1}, ["1"]), ({"a"}, ["a"])],
)
def test_kinds_of_value_are_told_apart(one: Any, other: Any) -> None:
    same = isinstance(one, list)  # a list and a tuple hold the same

    assert (fingerprint({"w": one}) == fingerprint({"w": other})) == same


def test_columns_that_are_made_when_asked_for_count_as_they_are() -> None:
    lazy = LazyColumns(("weather",), lambda name: np.array(["sun", "rain"]))
    columns = {"weather": np.array(["sun", "rain"])}

    assert fingerprint(Datums(["a", "b"], lazy)) == fingerprint(Datums(["a", "b"], columns))
