from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from valor_core import Report
from valor_core.destinations import Destinations
from valor_core.errors import ConfigError
from valor_core.items import ItemRow
from valor_core.report import ItemTable
from valor_core.result import Result

REPORT = Report(
    results=[Result(type="Length", metric="mylab.Length@1", value=5.0)],
    items=(ItemTable("mylab.Length@1", {}, (ItemRow("q1", 5.0),)),),
)


def error_of(destinations: Destinations) -> str:
    with pytest.raises(ConfigError) as caught:
        destinations.check("config.yaml: ")
    return str(caught.value)


def test_files_in_a_folder_that_is_there_are_accepted_and_not_made(tmp_path: Path) -> None:
    Destinations((tmp_path / "a.json", tmp_path / "a.html"), tmp_path / "rows.jsonl").check("")

    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_accepted_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("mine")

    Destinations((tmp_path / "a.json",)).check("")

    assert (tmp_path / "a.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("a.txt", "config.yaml: output: expected .json, .csv, .md or .html, got a.txt"),
        ("a.jsonl", "config.yaml: output: expected .json, .csv, .md or .html, got a.jsonl"),
        ("sub.json", "config.yaml: output: expected a file, {}/sub.json is a folder"),
        (
            "none/a.json",
            "config.yaml: output: there is no folder {0}/none\nMake it with: mkdir -p {0}/none",
        ),
    ],
)
def test_no_place_for_a_report_is_an_error(tmp_path: Path, name: str, error: str) -> None:
    (tmp_path / "sub.json").mkdir()

    found = error_of(Destinations((tmp_path / "good.json", tmp_path / name)))

    assert found == error.format(tmp_path.as_posix())


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("rows.csv", "config.yaml: items: expected .jsonl or .parquet, got rows.csv"),
        (
            "none/rows.jsonl",
            "config.yaml: items: there is no folder {0}/none\nMake it with: mkdir -p {0}/none",
        ),
    ],
)
def test_no_place_for_rows_is_an_error(tmp_path: Path, name: str, error: str) -> None:
    found = error_of(Destinations(rows=tmp_path / name))

    assert found == error.format(tmp_path.as_posix())


def test_a_file_that_the_system_refuses_is_an_error_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "touch", refuse)

    found = error_of(Destinations((tmp_path / "a.json",)))

    assert (
        found == f"config.yaml: output: {tmp_path / 'a.json'} cannot be written, {os.strerror(13)}"
    )


def test_rows_go_to_their_own_file_and_are_left_out_of_the_report(tmp_path: Path) -> None:
    files = Destinations((tmp_path / "a.json", tmp_path / "b.json"), tmp_path / "rows.jsonl")

    written = files.write(REPORT)

    assert written.items == ()
    assert written.results == REPORT.results
    assert Report.load(tmp_path / "a.json") == Report.load(tmp_path / "b.json") == written
    assert json.loads((tmp_path / "rows.jsonl").read_text())["uid"] == "q1"


def test_rows_without_a_file_stay_in_the_report(tmp_path: Path) -> None:
    assert Destinations((tmp_path / "a.json",)).write(REPORT) == REPORT
    assert Report.load(tmp_path / "a.json") == REPORT
