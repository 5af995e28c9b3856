from __future__ import annotations

import datetime
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
from messages import refused
from valor_files import read_table, split_table
from valor_files.tables.parquet import PARQUET
from valor_files.tables.table import TablePartition

from valor_core.errors import MissingExtraError, ReadError


def written(folder: Path, columns: dict[str, Any], row_group_size: int = 2) -> Path:
    path = folder / "preds.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=row_group_size)
    return path


@pytest.mark.parametrize("partition_bytes", [1, 150, 300, 10**9])
def test_any_partition_size_gives_rows_of_file(tmp_path: Path, partition_bytes: int) -> None:
    uids = [f"image {index}" for index in range(11)]
    path = written(tmp_path, {"uid": uids, "score": np.arange(11) / 10})

    parts = split_table(path, partition_bytes=partition_bytes)
    tables = [read_table(part) for part in pickle.loads(pickle.dumps(parts))]

    assert [uid for table in tables for uid in table.strings("uid")] == uids
    assert np.concatenate([table.floats("score") for table in tables]).tolist() == [
        index / 10 for index in range(11)
    ]
    assert [table.row(index) for table in tables for index in range(len(table))] == list(
        range(1, 12)
    )


def test_partitions_are_at_least_one_row_group(tmp_path: Path) -> None:
    path = written(tmp_path, {"uid": list("abcde")})

    assert [(part.start, part.stop) for part in split_table(path, partition_bytes=1)] == [
        (0, 1),
        (1, 2),
        (2, 3),
    ]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_any_unit_are_datetimes(tmp_path: Path, unit: str, zone: str | None) -> None:
    moments = pyarrow.array([1_700_000_000, None], pyarrow.int64())
    each = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    counts = pyarrow.compute.multiply(moments, each)
    if unit == "ns":
        counts = pyarrow.compute.add(counts, 7)  # more precise than datetime
    path = written(tmp_path, {"at": counts.cast(pyarrow.timestamp(unit, zone))})

    (at, missing) = read_table(split_table(path)[0]).values("at")

    expected = datetime.datetime(2023, 11, 14, 22, 13, 20)
    assert type(at) is datetime.datetime
    assert at.replace(tzinfo=None) == expected
    assert (at.utcoffset() is None) == (zone is None)
    assert missing is None


def test_columns_keep_dtype_and_nulls_are_missing(tmp_path: Path) -> None:
    day = datetime.date(2024, 2, 29)
    path = written(
        tmp_path,
        {
            "whole": pyarrow.array([1, 2], pyarrow.int32()),
            "part": [0.5, 0.25],
            "night": [True, False],
            "gaps": pyarrow.array([1, None]),
            "text": ["a", None],
            "coded": pyarrow.array(["x", "y"]).dictionary_encode(),
            "box": [[1, 2], [3, 4]],
            "day": [day, day],
        },
    )

    table = read_table(path)

    assert table.values("whole").dtype == np.int32
    assert table.values("part").dtype == np.float64
    assert table.values("night").dtype == np.bool_
    assert table.values("gaps").tolist() == [1, None]
    assert table.values("text").tolist() == ["a", None]
    assert table.strings("coded").tolist() == ["x", "y"]
    assert table.values("box").tolist() == [[1, 2], [3, 4]]
    assert table.values("day").tolist() == [day, day]


def test_invalid_cell_is_rejected_with_row_of_file(tmp_path: Path) -> None:
    path = written(tmp_path, {"score": [0.5, 0.5, 0.5, float("nan")]})

    part = split_table(path, partition_bytes=1)[1]

    with pytest.raises(ReadError, match="row 4, column 'score': must be finite, found nan"):
        read_table(part, columns={"confidence": "score"}).floats("confidence")


def test_file_without_rows_gives_empty_table(tmp_path: Path) -> None:
    path = written(tmp_path, {"uid": pyarrow.array([], pyarrow.string())})

    tables = [read_table(part) for part in split_table(path, partition_bytes=1)]

    assert [(len(table), table.names) for table in tables] == [(0, ("uid",))]


def test_repeated_column_name_in_file_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "preds.parquet"
    twice = pyarrow.Table.from_arrays([pyarrow.array([1])] * 3, ["uid", "uid", "score"])
    pyarrow.parquet.write_table(twice, path)

    with pytest.raises(ReadError, match="expected every column once, found 'uid'"):
        read_table(path)


def test_file_that_is_not_parquet_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "preds.parquet"
    path.write_bytes(b"uid,score\na,1\n")

    with refused(ReadError) as caught:
        split_table(path)

    assert "\n" not in str(caught.value)


def test_deleted_file_is_rejected(tmp_path: Path) -> None:
    gone = TablePartition(tmp_path / "preds.parquet", "parquet", 0, 1, 1)

    with pytest.raises(ReadError, match="expected a readable file"):
        PARQUET.read(gone)


def test_missing_pyarrow_suggests_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path(), {"uid": ["a"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with refused(MissingExtraError):
        read_table("preds.parquet")


def test_invalid_utf8_in_column_name_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path, {"uniquename": ["a", "b"]})
    path.write_bytes(path.read_bytes().replace(b"uniquename", b"uniq\xff\xfename"))

    with pytest.raises(ReadError, match="expected text in UTF-8, found the byte"):
        read_table(path)
