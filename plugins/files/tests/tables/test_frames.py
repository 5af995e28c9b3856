"""Tables of pandas, polars, Arrow and Hugging Face with the same cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import datasets
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from valor_files import TableInMemory

ROWS: dict[str, list[Any]] = {
    "uid": ["a", "b", "c"],
    "label": ["cat", None, "dog"],
    "score": [0.5, 0.25, 1.0],
    "n": [1, 2, 3],
    "gap": [1, None, 3],
    "ok": [True, False, True],
    "references": [["x", "y"], [], ["z"]],
}


def of_polars() -> Any:
    return polars.DataFrame(ROWS)


def of_hugging_face() -> Any:
    return datasets.Dataset.from_dict(ROWS)


def of_pandas() -> Any:
    return pandas.DataFrame(ROWS)


def of_nullable_pandas() -> Any:
    return pandas.DataFrame(ROWS).convert_dtypes()


def of_pandas_on_arrow() -> Any:
    return pandas.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow")


def of_arrow() -> Any:
    return pyarrow.table(ROWS)


def of_arrow_batch() -> Any:
    return pyarrow.RecordBatch.from_pydict(ROWS)


MAKERS = [
    of_pandas,
    of_nullable_pandas,
    of_pandas_on_arrow,
    of_polars,
    of_arrow,
    of_arrow_batch,
    of_hugging_face,
]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_all_libraries_give_same_cells(make: Callable[[], Any]) -> None:
    held = TableInMemory.of(make())

    assert held is not None
    table = held.table
    assert {name: table.values(name).tolist() for name in table.names} == ROWS
    assert table.floats("score").dtype == np.float64
    assert table.integers("n").tolist() == [1, 2, 3]
    assert held.beginning.strings("uid").tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_columns_of_numbers_are_arrays(make: Callable[[], Any]) -> None:
    held = TableInMemory.of(make())

    assert held is not None
    kinds = {name: held.table.values(name).dtype.kind for name in ("score", "n", "ok")}
    assert kinds == {"score": "f", "n": "i", "ok": "b"}


@pytest.mark.parametrize("labels", [["cat", None, "cat"], [3, None, 5]])
def test_pandas_categories_are_converted_to_values(labels: list[Any]) -> None:
    held = TableInMemory.of(pandas.DataFrame({"label": pandas.Categorical(labels)}))

    assert held is not None
    assert held.table.values("label").tolist() == labels


def test_arrow_dictionary_is_converted_to_values() -> None:
    column = pyarrow.array(["cat", None, "cat"]).dictionary_encode()
    held = TableInMemory.of(pyarrow.table({"label": column}))

    assert held is not None
    assert held.table.values("label").tolist() == ["cat", None, "cat"]


def test_hugging_face_class_labels_of_selected_rows_are_names() -> None:
    features = datasets.Features({"label": datasets.ClassLabel(names=["neg", "pos"])})
    data = datasets.Dataset.from_dict({"label": [0, 1, 1, -1]}, features=features)

    held = TableInMemory.of(data.select([3, 2, 0]))

    assert held is not None
    assert held.table.values("label").tolist() == [None, "pos", "neg"]


def test_missing_values_of_pandas_are_none() -> None:
    rows = [{"a": pandas.NA, "b": pandas.NaT}, {"a": "x", "b": "y"}]
    held = TableInMemory.of(rows)

    assert held is not None
    assert held.table.values("a").tolist() == [None, "x"]
    assert held.table.values("b").tolist() == [None, "y"]


def test_frame_prints_its_size() -> None:
    frame = pandas.DataFrame({"a": range(1000), "b": 0})

    assert str(TableInMemory.of(frame)) == "<DataFrame of 1,000 rows and 2 columns>"
