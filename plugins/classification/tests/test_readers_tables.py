"""Files of items: several under one path, and rows without a uid."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from valor_classification.readers import item_tables

from valor_core.errors import ParameterError
from valor_core.results import Report

from .files import METRICS, error, read, written

HEADER = "label,prediction"
ROWS = ("dog,dog", "cat,dog", "cat,cat", "owl,dog")

LAYOUTS: dict[str, tuple[str, ...]] = {
    "predicted": (HEADER, *ROWS),
    "wide": ("label,score_dog,score_cat", "dog,0.9,0.1", "cat,0.6,0.4", "cat,0.3,0.7"),
    "lists": ("groundtruths,predictions,scores", "dog,dog,0.9", "cat,dog,0.6", "cat,cat,0.7"),
}


def uids_in(report: Report) -> list[str | int]:
    return [item["datum_id"] for item in report["Examples"].value]


# Rows without a uid


@pytest.mark.parametrize("reader", LAYOUTS)
@pytest.mark.parametrize("partition_bytes", [1, 20, 1 << 20])
def test_rows_without_a_uid_are_called_by_their_number_however_the_file_is_split(
    tmp_path: Path, reader: str, partition_bytes: int
) -> None:
    header, *rows = LAYOUTS[reader]
    path = written(tmp_path, "t.csv", header, *rows)
    named = written(
        tmp_path, "named.csv", f"uid,{header}", *(f"{i},{row}" for i, row in enumerate(rows, 2))
    )

    report = read(reader, path=path, partition_bytes=partition_bytes)

    assert report.counts["read"] == len(rows)
    numbers = [result for result in report.results if result.type != "Examples"]
    expected = read(reader, *METRICS[:3], path=named)
    assert numbers == list(expected.results)


@pytest.mark.parametrize("workers", [1, 2])
def test_numbers_are_those_that_an_editor_shows(tmp_path: Path, workers: int) -> None:
    rows = ('"do\ng",dog', "", "cat,dog", "cat,cat")
    path = written(tmp_path, "t.csv", HEADER, *rows)
    engine = {"name": "local", "workers": workers, "mode": "threads"} if workers > 1 else None

    report = read("predicted", "Examples", path=path, partition_bytes=1, options={"engine": engine})

    assert uids_in(report) == [2, 5, 6]


def test_a_column_of_uids_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", HEADER, *ROWS)

    assert "expected a column 'image', the columns are 'label', 'prediction'" in error(
        "predicted", path=path, uid="image"
    )


def test_uids_in_some_parts_of_a_file_only_are_an_error(tmp_path: Path) -> None:
    rows = ('{"label": "dog", "prediction": "dog"}', '{"label": "dog", "prediction": "cat"}')
    path = written(tmp_path, "t.jsonl", rows[0], '{"uid": "b", ' + rows[1][1:])

    for partition_bytes in (1, 1 << 20):
        with pytest.raises(Exception, match="uid"):
            read("predicted", path=path, partition_bytes=partition_bytes)


# Several files


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    return [
        written(tmp_path, "part-1.csv", HEADER, *ROWS[:2]),
        written(tmp_path, "part-2.csv", HEADER, *ROWS[2:]),
    ]


@pytest.mark.parametrize("name", ["part-*.csv", "part-?.csv", "part-[12].csv", "**/part-*.csv"])
@pytest.mark.parametrize("partition_bytes", [1, 1 << 20])
def test_pattern_reads_all_matching_files(
    tmp_path: Path, parts: list[Path], name: str, partition_bytes: int
) -> None:
    (tmp_path / "part-3.csv.d").mkdir()
    whole = written(tmp_path, "whole.csv", HEADER, *ROWS)

    report = read("predicted", *METRICS[:3], path=tmp_path / name, partition_bytes=partition_bytes)

    assert report.results == read("predicted", *METRICS[:3], path=whole).results


def test_rows_of_several_files_are_called_by_file_and_number(parts: list[Path]) -> None:
    report = read("predicted", "Examples", path=parts)

    assert uids_in(report) == [f"{path.name}:{row}" for path in parts for row in (2, 3)]


def test_rows_are_called_the_same_from_wherever_their_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        written(tmp_path / "runs" / name, "t.csv", HEADER, ROWS[0])
    monkeypatch.chdir(tmp_path / "runs" / "a")

    for paths in (
        [Path("t.csv"), Path("../b/t.csv")],
        [Path("../*/t.csv")],
        [tmp_path / "runs" / "[ab]" / "t.csv"],
    ):
        report = read("predicted", "Examples", path=paths)

        assert uids_in(report) == ["a/t.csv:2", "b/t.csv:2"]


def test_files_of_two_drives_are_called_by_their_whole_path(
    parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_two_drives(_: object) -> str:
        raise ValueError("Paths don't have the same drive")

    monkeypatch.setattr(item_tables, "commonpath", on_two_drives)

    report = read("predicted", "Examples", path=parts)

    assert uids_in(report)[0] == f"{parts[0].as_posix()}:2"


def test_files_may_be_of_several_formats(tmp_path: Path, parts: list[Path]) -> None:
    other = tmp_path / "part-3.jsonl.gz"
    other.write_bytes(gzip.compress(b'{"label": "dog", "prediction": "dog"}\n'))

    report = read("predicted", "Accuracy", path=[*parts, other])

    assert report.counts["read"] == 5


def test_a_file_that_two_patterns_fit_is_read_once(tmp_path: Path, parts: list[Path]) -> None:
    patterns = [tmp_path / "part-*.csv", tmp_path / "*-1.csv", parts[1]]

    assert read("predicted", "Accuracy", path=patterns).counts["read"] == 4


@pytest.mark.parametrize("reader", LAYOUTS)
def test_a_uid_in_two_files_is_an_error(tmp_path: Path, reader: str) -> None:
    header, row, *_ = LAYOUTS[reader]
    files = [written(tmp_path, name, f"uid,{header}", f"a,{row}") for name in ("x.csv", "y.csv")]

    with pytest.raises(Exception, match="item 'a': expected each uid once"):
        read(reader, path=files)


def test_a_pattern_that_no_file_fits_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "part-*.csv"

    assert error("predicted", path=path) == (
        f"{path}: expected files with names of this pattern, found none"
    )


def test_a_file_may_be_called_like_a_pattern(tmp_path: Path) -> None:
    path = written(tmp_path, "t[1].csv", HEADER, *ROWS)

    assert read("predicted", "Accuracy", path=path).counts["read"] == 4


def test_a_path_is_given(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"data\.path must not be empty"):
        read("predicted", path=[])
