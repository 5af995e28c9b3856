from __future__ import annotations

from pathlib import Path

import pytest

from valor_core.errors import ReportError
from valor_core.whole_file import check_writable, replacing, write_text


def test_a_text_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_text(path, "before\n")

    with pytest.raises(ReportError) as caught:
        write_text(path, "a\ud800")

    assert str(caught.value) == (
        f"{path}: cannot be written, expected Unicode text, found the lone surrogate \\ud800"
    )
    assert path.read_bytes() == b"before\n"


def test_a_file_that_was_begun_is_not_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    with pytest.raises(UnicodeEncodeError), replacing(path) as unfinished:
        unfinished.write_text("half, é", encoding="ascii")

    assert list(tmp_path.iterdir()) == []


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("before")
    link.symlink_to(target)

    write_text(link, "after")

    assert link.is_symlink()
    assert target.read_text() == "after"


def test_a_missing_folder_is_an_error_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "report.json"

    with pytest.raises(ReportError, match=r"report.json: cannot be written, No such file"):
        write_text(path, "")


def test_a_check_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    check_writable(path)
    assert list(tmp_path.iterdir()) == []

    path.write_text("before")
    check_writable(path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [
        ("report.json", "before")
    ]
