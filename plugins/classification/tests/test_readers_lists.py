from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from valor_classification.parameters.readers import ListsParameters
from valor_classification.readers import lists
from valor_classification.readers.lists import ListsReader

from valor_core.errors import ReadError, ValorError
from valor_core.schemas.classification import ClassificationBatch

LABELS = st.sampled_from(["dog", "cat", "1", 1, "", 2**70])
ODD = st.sampled_from([None, True, 1.5, "high", {"a": 1}, [], ["dog"], [1, 2, 3]])
NUMBERS = st.sampled_from([0.5, 0.25, 1, 0, -1.5, 2**70, 10**400]) | st.floats(
    allow_nan=False, allow_infinity=False
)
SCORES = NUMBERS | ODD
TEXTS = st.sampled_from(["dog", "cat", "1", ""])


def entries(scores: st.SearchStrategy[Any]) -> list[st.SearchStrategy[Any]]:
    """Cells of predictions in each way of writing them."""
    table = st.fixed_dictionaries({"label": LABELS, "score": scores}, optional={"key": TEXTS})
    return [
        st.dictionaries(TEXTS, scores, max_size=3),
        st.lists(st.tuples(LABELS, scores), max_size=3),
        st.lists(LABELS, max_size=3),
        st.lists(table, max_size=3),
        st.dictionaries(TEXTS, st.dictionaries(TEXTS, scores, max_size=2), max_size=2),
    ]


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records that mostly are written in one way."""
    ways = entries(draw(st.sampled_from([NUMBERS, NUMBERS, SCORES])))
    way = draw(st.sampled_from(ways))
    truth = draw(st.sampled_from([LABELS, st.lists(LABELS, max_size=2), LABELS | ODD]))
    has_scores = draw(st.booleans())
    found = []
    for number in range(draw(st.integers(0, 4))):
        cell = draw(way if draw(st.integers(0, 9)) else st.one_of(*ways, ODD))
        row = {"uid": f"u{number}", "groundtruths": draw(truth), "predictions": cell}
        if has_scores and isinstance(cell, list):
            count = len(cell) + draw(st.sampled_from([0, 0, 0, 0, 1]))
            row["scores"] = draw(st.lists(NUMBERS, min_size=count, max_size=count))
        if draw(st.integers(0, 3)) == 0:
            row["metadata"] = {"light": draw(TEXTS)}
        if draw(st.integers(0, 3)) == 0:
            row["light"] = draw(TEXTS)
        found.append(row)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lists")


def outcome(path: Path) -> Any:
    """The batch's columns, or the error's text."""
    reader = ListsReader(ListsParameters(path=[str(path)]), "classification")
    try:
        (batch,) = [batch for part in reader.partitions() for batch in reader.read(part)]
    except ValorError as error:
        return type(error), str(error)
    assert isinstance(batch, ClassificationBatch)
    scores = batch.scores
    columns = (batch.truth_datums, batch.truth_labels, scores.labels, scores.values)
    metadata = {name: column.tolist() for name, column in batch.datums.metadata.items()}
    arrays = [(array.dtype, array.tobytes()) for array in map(np.asarray, columns)]
    return batch.labels, batch.datums.uids.tolist(), len(batch) and metadata, arrays


@given(rows())
@example([{"uid": "u0", "groundtruths": "dog", "predictions": {"dog": 0.5, "cat": 1}}])
@example([{"uid": "u0", "groundtruths": "dog", "predictions": ["dog"], "scores": [0.5]}])
@example([{"uid": "u0", "groundtruths": 1.5, "predictions": [["dog", "high"]]}])
@example([{"uid": "u0", "groundtruths": "dog", "predictions": [{"label": 1, "score": 1}]}])
def test_lists_read_as_columns_say_what_lists_read_label_by_label_say(
    folder: Path, records: list[dict[str, Any]]
) -> None:
    path = folder / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")

    as_columns = outcome(path)

    with mock.patch.object(lists.ListEntries, "of", return_value=None):
        assert as_columns == outcome(path)


def test_an_integer_beyond_all_floats_is_no_score_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(f'{{"uid": "a", "groundtruths": "cat", "predictions": {{"cat": {10**400}}}}}\n')

    kind, message = outcome(path)

    assert kind is ReadError
    assert (
        ", line 1, field 'predictions': expected a finite number as score, found 10000" in message
    )
