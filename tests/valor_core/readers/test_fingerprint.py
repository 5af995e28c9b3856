from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core.readers import fingerprint
from valor_core.schemas.datum import Datums, LazyColumns
from valor_core.schemas.text.batch import Text, TextBatch

TRUTHS, SCORES = [0, 1], [[0.75, 0.25], [0.5, 0.5]]


def test_different_texts_have_different_fingerprints() -> None:
    prints = {
        fingerprint(TextBatch.of([Text("q1", response=response, contexts=contexts)]))
        for response, contexts in [("a", []), ("a", [""]), ("a", ["b", "c"]), ("a", ["bc"])]
    }

    assert len(prints) == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), ("1", 1), ([], ()), (None, "None"), ({1}, ["1"]), ({"a"}, ["a"])],
)
def test_different_types_have_different_fingerprints(one: Any, other: Any) -> None:
    same = isinstance(one, list)  # a list and a tuple hold the same

    assert (fingerprint({"w": one}) == fingerprint({"w": other})) == same


def test_lazy_columns_have_fingerprint_of_their_values() -> None:
    lazy = LazyColumns(("weather",), lambda name: np.array(["sun", "rain"]))
    columns = {"weather": np.array(["sun", "rain"])}

    assert fingerprint(Datums(["a", "b"], lazy)) == fingerprint(Datums(["a", "b"], columns))
