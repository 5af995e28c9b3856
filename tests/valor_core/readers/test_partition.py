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


def test_the_name_of_a_partition_is_found_in_its_identity(tmp_path: Path) -> None:
    (tmp_path / "a 1.csv").write_text("uid")

    for partition in (
        Position(3),
        Position(3, fingerprint("content")),
        Files("a 1.csv, rows 1 to 9", (tmp_path / "a 1.csv",) * 2),
    ):
        assert name_in(identity(partition)) == partition.name


def test_a_partition_is_another_one_when_its_file_or_its_content_is(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    files = Files("a.csv", (path,))
    found = {identity(files)}
    for text in ("uid", "uid\na"):
        path.write_text(text)
        found.add(identity(files))

    assert len(found) == 3
    assert identity(Position(3, fingerprint("x"))) != identity(Position(3, fingerprint("y")))


def test_a_partition_that_has_a_name_alone_is_called_by_it() -> None:
    class Shelf(Partition):
        name: Any = "shelf 3"

    assert identity(Shelf()) == "shelf 3"


def test_what_is_no_partition_is_refused() -> None:
    partition: Any = 3

    with pytest.raises(ReadError, match=r"of valor_core\.readers\.Partition, got 3"):
        identity(partition)
