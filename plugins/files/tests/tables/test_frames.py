"""Tables of pandas, polars, Arrow and Hugging Face with the same cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import dask.dataframe
import datasets
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pytest
from valor_files import TableInMemory

from valor_core import Evaluator, evaluate
from valor_core.errors import ParameterError, SchemaError

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


def of_dask() -> Any:
    return dask.dataframe.from_pandas(of_pandas(), npartitions=2)


def of_lazy_polars() -> Any:
    return of_polars().lazy()


def of_arrow_dataset() -> Any:
    return pyarrow.dataset.dataset(of_arrow())


def of_arrow_reader() -> Any:
    return pyarrow.RecordBatchReader.from_batches(of_arrow().schema, of_arrow().to_batches())


def of_streamed_hugging_face() -> Any:
    return of_hugging_face().to_iterable_dataset()


LAZY = {
    of_dask: "a lazy DataFrame of dask\nPass its rows: data.compute()\nOr count it in parts: "
    "valor_hosts.evaluate_partitions(data, metrics)",
    of_lazy_polars: "a lazy LazyFrame of polars\nPass its rows: data.collect()",
    of_arrow_dataset: "a lazy InMemoryDataset of pyarrow\nPass its rows: data.to_table()\nOr count "
    "it in parts: valor_hosts.evaluate_partitions(data.to_batches(), metrics)",
    of_arrow_reader: "a lazy RecordBatchReader of pyarrow\nPass its rows: data.read_all()",
    of_streamed_hugging_face: "a lazy IterableDataset of datasets\nPass its rows: list(data)\nOr "
    "count it in parts: valor_hosts.evaluate_partitions(data.iter(1000), metrics)",
}


@pytest.mark.parametrize("make", LAZY)
def test_lazy_frame_suggests_call_that_gets_its_rows(make: Callable[[], Any]) -> None:
    lazy = make()

    with pytest.raises(SchemaError) as refused:
        evaluate(lazy, ["Accuracy"])
    with pytest.raises(ParameterError, match=r"data.path: expected rows in memory, got a lazy"):
        evaluate({"reader": "predicted", "path": lazy}, ["classification.Accuracy"])

    assert str(refused.value) == f"data: expected rows in memory, got {LAZY[make]}"
    (rows,) = re.findall("rows: (.*)", LAZY[make])
    held = TableInMemory.of(eval(rows, {"data": lazy}))
    assert held is not None
    assert held.table.values("label").tolist() == ROWS["label"]


def test_frames_of_other_libraries_suggest_call_that_gets_their_rows() -> None:
    for module, method in (
        ("pyspark.sql.dataframe", "toPandas"),
        ("pyspark.pandas.frame", "to_pandas"),
        ("ray.data.dataset", "iter_batches"),
        ("duckdb._relation", "to_arrow_table"),
        ("ibis.expr.types.relations", "to_pyarrow"),
    ):
        kind = type("Frame", (), {"__module__": module, "columns": ["label"], method: print})
        with pytest.raises(
            SchemaError, match=r"data: expected rows in memory\b.*\nPass its rows: "
        ):
            Evaluator(["Accuracy"]).update(kind())


def test_splits_of_a_data_set_suggest_one_of_them() -> None:
    splits = datasets.DatasetDict({"train": of_hugging_face(), "dev": of_hugging_face()})

    with pytest.raises(SchemaError, match=r"of train, dev\nPass one of them: data\['train'\]"):
        evaluate(splits, ["Accuracy"])


def test_lazy_frame_without_valor_hosts_suggests_its_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("valor_files.tables.lazy_frames.version_of", lambda name: None)

    with pytest.raises(SchemaError, match=r"Install it with: .*(valor-|plugins/)hosts"):
        evaluate(of_dask(), ["Accuracy"])
