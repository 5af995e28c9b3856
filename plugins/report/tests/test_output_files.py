from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from messages import refused
from valor_report.output_files import OutputFiles, WriteErrors

from valor_core import Report
from valor_core.errors import ConfigError, MissingExtraError, ReportError, StateError
from valor_core.results import ItemRow, Result
from valor_core.results.item_tables import ItemTable

REPORT = Report(
    results=[Result(type="Length", metric="mylab.Length@1", value=5.0)],
    items=(ItemTable("mylab.Length@1", {}, (ItemRow("q1", 5.0),)),),
)


def error_of(match: str, outputs: OutputFiles) -> str:
    with pytest.raises(ConfigError, match=re.escape(match)) as caught:
        outputs.check("config.yaml: ")
    return str(caught.value)


def test_check_accepts_new_files_without_creating_them(tmp_path: Path) -> None:
    OutputFiles((tmp_path / "a.json", tmp_path / "a.html"), tmp_path / "rows.jsonl").check("")

    assert not list(tmp_path.iterdir())


def test_check_accepts_existing_file_without_changing_it(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("mine")

    OutputFiles((tmp_path / "a.json",)).check("")

    assert (tmp_path / "a.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.docx", "expected .json, .csv, .html"),
        ("a.jsonl", "expected .json, .csv, .html"),
        ("sub.json", "config.yaml: output: expected a file"),
        ("none/a.json", "config.yaml: output: there is no folder"),
    ],
)
def test_invalid_report_path_is_rejected(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "sub.json").mkdir()

    error_of(message, OutputFiles((tmp_path / "good.json", tmp_path / name)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rows.csv", "expected .jsonl or .parquet, got rows.csv"),
        ("none/rows.jsonl", "config.yaml: items: there is no folder"),
    ],
)
def test_invalid_path_of_item_rows_is_rejected(tmp_path: Path, name: str, message: str) -> None:
    error_of(message, OutputFiles(rows=tmp_path / name))


def test_picture_without_matplotlib_is_rejected_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with refused(MissingExtraError):
        OutputFiles((tmp_path / "plots.png",)).check("config.yaml: ")


def test_unwritable_file_is_rejected_with_reason_of_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "touch", refuse)

    found = error_of("cannot be written, Permission denied", OutputFiles((tmp_path / "a.json",)))

    assert (
        found == f"config.yaml: output: {tmp_path / 'a.json'} cannot be written, {os.strerror(13)}"
    )


def test_item_rows_with_file_are_not_in_report(tmp_path: Path) -> None:
    files = OutputFiles((tmp_path / "a.json", tmp_path / "b.json"), tmp_path / "rows.jsonl")

    unwritten = WriteErrors()
    written = files.write(REPORT, unwritten)
    unwritten.check()

    assert written.items == ()
    assert written.results == REPORT.results
    assert Report.load(tmp_path / "a.json") == Report.load(tmp_path / "b.json") == written
    assert json.loads((tmp_path / "rows.jsonl").read_text())["uid"] == "q1"


def test_item_rows_without_file_are_in_report(tmp_path: Path) -> None:
    assert OutputFiles((tmp_path / "a.json",)).write(REPORT, WriteErrors()) == REPORT
    assert Report.load(tmp_path / "a.json") == REPORT


def test_write_error_does_not_prevent_other_files(tmp_path: Path) -> None:
    broken, page, last = (tmp_path / name for name in ("a.json", "a.html", "b.json"))
    broken.mkdir()
    unwritten = WriteErrors()

    written = OutputFiles((broken, page, last), tmp_path / "rows.jsonl").write(REPORT, unwritten)

    assert page.exists()
    assert Report.load(last) == written
    with pytest.raises(ReportError, match="cannot be written, Is a directory") as caught:
        unwritten.check()
    assert unwritten.errors == {broken: caught.value}


def test_item_rows_stay_in_report_after_write_error(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").mkdir()

    written = OutputFiles((tmp_path / "a.json",), tmp_path / "rows.jsonl").write(
        REPORT, WriteErrors()
    )

    assert written == REPORT == Report.load(tmp_path / "a.json")


def test_all_write_errors_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall_over(report: Report) -> str:
        raise ValueError("too many labels")

    monkeypatch.setattr("valor_report.pages.page.html", fall_over)
    (tmp_path / "a.json").mkdir()
    unwritten = WriteErrors()
    OutputFiles((tmp_path / "a.html", tmp_path / "a.json")).write(REPORT, unwritten)

    with pytest.raises(ReportError, match="cannot be written, ValueError") as caught:
        unwritten.check()

    (note,) = caught.value.__notes__
    assert note.startswith(f"{tmp_path / 'a.json'}: cannot be written")


def test_write_error_of_state_is_reported_after_report() -> None:
    unwritten = WriteErrors()
    full = StateError("s.npz: cannot be written, No space left on device")
    unwritten.add(Path("a.npz"), None)
    unwritten.add(Path("s.npz"), full)
    unwritten.add(Path("a.json"), ReportError("a.json: cannot be written, No space left"))

    with pytest.raises(StateError) as caught:
        unwritten.check()

    assert caught.value is full
    assert caught.value.__notes__ == ["a.json: cannot be written, No space left"]
