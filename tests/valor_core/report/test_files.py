from __future__ import annotations

import os
from pathlib import Path

import pytest

from valor_core.errors import ReportError
from valor_core.results.files import check_writable, replacing, write_text


def test_unencodable_text_leaves_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_text(path, "before\n")

    with pytest.raises(ReportError, match="expected Unicode text, found the lone"):
        write_text(path, "a\ud800")

    assert path.read_bytes() == b"before\n"


def test_temporary_file_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    with pytest.raises(UnicodeEncodeError), replacing(path) as unfinished:
        unfinished.write_text("half, é", encoding="ascii")

    assert list(tmp_path.iterdir()) == []


def test_target_of_link_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("before")
    link.symlink_to(target)

    write_text(link, "after")

    assert link.is_symlink()
    assert target.read_text() == "after"


def test_missing_folder_raises_with_reason(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "report.json"

    with pytest.raises(ReportError, match="cannot be written"):
        write_text(path, "")


def test_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    check_writable(path)
    assert list(tmp_path.iterdir()) == []

    path.write_text("before")
    check_writable(path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [
        ("report.json", "before")
    ]


def test_concurrent_writers_do_not_mix_content(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    with replacing(path) as second:
        with replacing(path) as first:
            first.write_text("first, whole")
            second.write_text("sec")
        assert path.read_text() == "first, whole"
        second.write_text("second, whole")

    assert path.read_text() == "second, whole"
    assert list(tmp_path.iterdir()) == [path]


def test_failed_writer_keeps_content_of_other_writer(tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    second = replacing(path)
    second.__enter__().write_text("sec")
    write_text(path, "first, whole")
    second.__exit__(OSError, OSError("full"), None)

    assert path.read_text() == "first, whole"
    assert list(tmp_path.iterdir()) == [path]


def test_temporary_file_of_killed_run_is_ignored(tmp_path: Path) -> None:
    path, precious = tmp_path / "report.json", tmp_path / "precious"
    precious.write_text("mine")
    context = replacing(path)
    context.__enter__().write_text("of a run that was killed")
    (tmp_path / ".report.json.unfinished").symlink_to(precious)

    check_writable(path)
    write_text(path, "whole")

    assert (path.read_text(), precious.read_text()) == ("whole", "mine")


def test_new_file_has_default_permissions(tmp_path: Path) -> None:
    (tmp_path / "other").touch()

    write_text(tmp_path / "report.json", "")

    modes = {one.stat().st_mode for one in tmp_path.iterdir()}
    assert len(modes) == 1


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127])
def test_name_may_have_maximum_length(tmp_path: Path, name: str) -> None:
    write_text(tmp_path / name, "whole")

    assert (tmp_path / name).read_text() == "whole"


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
def test_private_file_is_readable_by_owner_only(tmp_path: Path) -> None:
    path, other = tmp_path / "report.json", tmp_path / "other.json"

    write_text(path, "a", private=True)
    write_text(other, "a")

    assert path.stat().st_mode & 0o777 == 0o600
    assert other.stat().st_mode & 0o777 == 0o666 & ~_umask()


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o600, 0o664])
@pytest.mark.parametrize("private", [True, False])
def test_replaced_file_keeps_its_mode(tmp_path: Path, mode: int, private: bool) -> None:
    path = tmp_path / "report.json"
    path.write_text("before")
    path.chmod(mode)

    write_text(path, "after", private)

    assert path.stat().st_mode & 0o777 == mode


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
