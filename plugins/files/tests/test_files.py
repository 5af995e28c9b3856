from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from messages import refused
from valor_files import checked_size, read_table, unreadable_error
from valor_files.tables.table import TablePartition

from valor_core.errors import ReadError


def test_missing_file_suggests_similar_name(tmp_path: Path) -> None:
    (tmp_path / "predictions.csv").write_bytes(b"uid\n")

    with refused(ReadError):
        checked_size(tmp_path / "prediction.csv")

    with refused(ReadError):
        checked_size(tmp_path / "nowhere" / "predictions.csv")


def test_folders_and_empty_files_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()

    with refused(ReadError):
        checked_size(tmp_path)
    with refused(ReadError):
        checked_size(tmp_path / "empty.csv")


def test_unreadable_file_error_has_reason_of_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "preds.csv"
    path.write_bytes(b"uid\n")
    plain = TablePartition(path, "csv", 0, 4, 1)
    packed = TablePartition(path, "csv", 0, 4, 1, is_gzip=True)
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("gzip.open", refuse)

    for read in (plain.content, packed.content):
        with pytest.raises(ReadError, match="found: Permission denied"):
            read()
    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(ReadError, match="found: Permission denied"):
        checked_size(path)


def test_file_name_that_is_too_long_is_rejected() -> None:
    with pytest.raises(ReadError, match="found: File name too long"):
        checked_size(Path("a" * 300 + ".csv"))


def test_system_error_without_reason_shows_message() -> None:
    assert str(unreadable_error(Path("a.csv"), OSError("odd"))) == (
        "a.csv: expected a readable file, found: odd"
    )


def test_gzip_bomb_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("valor_files.files._SAFE_BYTES", 10**5)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"uid\n" + b"a" * 10**7))
    most = 100 * path.stat().st_size

    with pytest.raises(ReadError, match="expected at most 975,700 bytes when"):
        read_table(path)

    assert most < 10**7
