from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from messages import refused
from valor_files import read_table, split_table, table_format

from valor_core.errors import ReadError, SchemaError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", "csv"),
        ("a.TSV", "tsv"),
        ("a.b.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "json"),
        ("a.parquet", "parquet"),
        ("a.csv.gz", "csv"),
        ("a.jsonl.GZ", "jsonl"),
    ],
)
def test_format_is_inferred_from_suffix(name: str, expected: str) -> None:
    assert table_format(name) == table_format(Path("folder.x", name)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "a.xlsx",
        "a",
        "a.txt.gz",
        "a.gz",
        "a.parquet.gz",
    ],
)
def test_unknown_suffix_is_rejected_with_supported_suffixes(name: str) -> None:
    with refused(ReadError):
        table_format(name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("preds.csv.gz", b"uid,score\na,1\nb,2\n"),
        ("preds.jsonl.gz", b'{"uid": "a", "score": 1}\n{"uid": "b", "score": 2}\n'),
    ],
)
def test_compressed_file_is_one_partition(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content))

    (part,) = split_table(path, partition_bytes=1)
    table = read_table(part)

    assert table.strings("uid").tolist() == ["a", "b"]
    assert table.floats("score").tolist() == [1.0, 2.0]


def test_truncated_or_invalid_gzip_file_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv.gz"
    packed = gzip.compress(b"uid,score\n" + bytes(range(97, 123)) * 100)

    for content in (
        packed[:-12],
        b"uid,score\n",
        packed[:10] + b"\xff" + packed[11:],
    ):
        path.write_bytes(content)
        with pytest.raises(ReadError, match="expected a valid gzip file"):
            read_table(path)


def test_columns_are_renamed_to_standard_names(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_bytes(b"image_id,conf\na,high\n")

    table = read_table(str(path), columns={"uid": "image_id", "score": "conf"})

    assert table.strings("uid").tolist() == ["a"]
    with pytest.raises(ReadError, match="expected a number, found 'high'"):
        table.floats("score")


def test_folder_or_missing_file_is_rejected_before_suffix(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="expected a file, found a folder"):
        split_table(tmp_path)
    with pytest.raises(ReadError, match="no such file"):
        read_table(tmp_path / "nowhere")


def test_partition_size_below_one_byte_is_rejected() -> None:
    with pytest.raises(SchemaError, match="expected 1 or more, got 0"):
        split_table("preds.csv", partition_bytes=0)


def test_importing_readers_does_not_load_pyarrow() -> None:
    code = "import sys, valor_core.readers; print('pyarrow' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
