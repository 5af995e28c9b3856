from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from valor_core.errors import ReadError
from valor_core.readers import Partition, fingerprint
from valor_core.readers.partition import identity, name_in
from valor_core.readers.reader import Position


@frozen
class Files(Partition):
    name: str
    paths: tuple[Path, ...]


def test_name_is_parsed_from_identity(tmp_path: Path) -> None:
    (tmp_path / "a 1.csv").write_text("uid")

    for partition in (
        Position(3),
        Position(3, fingerprint("content")),
        Files("a 1.csv, rows 1 to 9", (tmp_path / "a 1.csv",) * 2),
    ):
        assert name_in(identity(partition)) == partition.name


def test_identity_changes_with_file_and_content(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    files = Files("a.csv", (path,))
    found = {identity(files)}
    for text in ("uid", "uid\na"):
        path.write_text(text)
        found.add(identity(files))

    assert len(found) == 3
    assert identity(Position(3, fingerprint("x"))) != identity(Position(3, fingerprint("y")))


def test_identity_defaults_to_name() -> None:
    class Shelf(Partition):
        name: Any = "shelf 3"

    assert identity(Shelf()) == "shelf 3"


def test_object_of_another_class_is_rejected() -> None:
    partition: Any = 3

    with pytest.raises(ReadError, match=r"of valor_core\.readers\.Partition, got 3"):
        identity(partition)
