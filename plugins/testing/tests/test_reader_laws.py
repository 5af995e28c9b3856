from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from valor_testing import ConformanceError, check_reader

from valor_core.parameters import parameter, parameters
from valor_core.readers import InMemory, Partition
from valor_core.schemas import Datums
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import ReaderSpec, Registry

COUNTER = itertools.count()


@parameters
class WordParameters:
    """Parameters of the readers below."""

    words: str = parameter(help="Words, each an item.")
    partition_words: int = parameter(default=3, help="Words of a partition.")


@frozen
class Part(Partition):
    name: Any
    words: tuple[str, ...]


@frozen
class Words:
    """Reader of each word as an item; keeps all laws."""

    parameters: WordParameters
    task: str

    def partitions(self) -> Sequence[Part]:
        chosen, words = self.parameters, self.parameters.words.split()
        starts = range(0, len(words), chosen.partition_words)
        return [self.part(i, words[i : i + chosen.partition_words]) for i in starts]

    def part(self, start: int, words: list[str]) -> Part:
        return Part(f"words from {start}", tuple(words))

    def read(self, partition: Part) -> Iterator[Any]:
        yield TextBatch.of([Text(word, response=word) for word in partition.words])


class Unnamed(Words):
    def part(self, start: int, words: list[str]) -> Any:
        return start


class SameNames(Words):
    def part(self, start: int, words: list[str]) -> Part:
        return Part("words", tuple(words))


class OtherNames(Words):
    def part(self, start: int, words: list[str]) -> Part:
        return Part(f"{next(COUNTER)}", tuple(words))


class Items(Words):
    def read(self, partition: Part) -> Iterator[Any]:
        yield [Text(word) for word in partition.words]


class AnotherTask(Words):
    def read(self, partition: Part) -> Iterator[Any]:
        yield ClassificationBatch.of([Classification(word) for word in partition.words])


class Overlapping(Words):
    def part(self, start: int, words: list[str]) -> Part:
        return Part(f"words from {start}", ("first", *words))


class Reusing(Words):
    """Reader that reuses one array for the metadata of all batches."""

    def read(self, partition: Part) -> Iterator[Any]:
        buffer = np.zeros(1)
        for number, word in enumerate(partition.words):
            buffer[:] = number
            yield TextBatch(Datums([word], {"number": buffer}), [None], [word], [()], [()], [()])


class Once(Words):
    """Reader that reads nothing the second time."""

    def read(self, partition: Part) -> Iterator[Any]:
        if partition.words[0] in SEEN:
            return
        SEEN.add(partition.words[0])
        yield from super().read(partition)


class Numbering(Words):
    """Reader whose items depend on their partition."""

    def read(self, partition: Part) -> Iterator[Any]:
        yield TextBatch.of([Text(w, response=partition.words[0]) for w in partition.words])


class Dropping(Words):
    """Reader that drops the last item of a long partition."""

    def read(self, partition: Part) -> Iterator[Any]:
        yield TextBatch.of([Text(word) for word in partition.words[:3]])


class Local(Words):
    """Reader that cannot be pickled."""

    def part(self, start: int, words: list[str]) -> Any:
        part = super().part(start, words)
        return evolve(part, name=type("Name", (str,), {})(part.name))


SEEN: set[str] = set()

WORDS = {"words": "the quick brown fox jumps over a lazy dog"}


def spec(code: str) -> ReaderSpec:
    return ReaderSpec(
        name=f"mylab.{code}",
        task="text",
        summary="Words",
        parameters=WordParameters,
        implementation=f"{__name__}:{code}",
    )


def test_valid_reader_keeps_all_laws() -> None:
    check_reader(spec("Words"), WORDS)
    check_reader(Words(WordParameters(**WORDS), "text"))
    check_reader(InMemory.of([Text("a"), Text("b")], TextBatch.of), task="text")


@pytest.mark.parametrize(
    ("code", "law", "message"),
    [
        ("Unnamed", "partitions are named", "expected a Partition with a name, found 0"),
        ("SameNames", "partitions are named", "expected names that differ, found 'words'"),
        ("OtherNames", "partitions are named", "[0] is '3' asked once and '6' asked again"),
        ("Items", "batches of the task", "'batches of the task': expected batches"),
        ("AnotherTask", "batches of the task", "expected batches of text"),
        ("Overlapping", "uids are unique", "expected every item once, found 'first'"),
        ("Reusing", "stable batches", "as read and 2.0 when the rest was read"),
        ("Once", "repeated reads agree", "length is 9 read once and 0 read again"),
        ("Local", "reader survives pickling", "the law 'reader survives pickling'"),
        ("Numbering", "any partitioning", "given and 'brown' with partition_words"),
        ("Dropping", "any partitioning", "9 as given and 3 with partition_words"),
    ],
)
def test_broken_law_is_reported(code: str, law: str, message: str) -> None:
    SEEN.clear()
    with pytest.raises(ConformanceError, match=re.escape(message)) as caught:
        check_reader(spec(code), WORDS)

    assert caught.value.law == law
    assert caught.value.of == f"mylab.{code}"


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_table_reader_keeps_all_laws_with_and_without_uids(suffix: str, tmp_path: Path) -> None:
    table = Registry().find(ReaderSpec, "tables.table")
    for name in ("uid", "word"):
        path = tmp_path / f"{name}{suffix}"
        rows = {
            ".csv": "".join(f"q{i},{i}\n" for i in range(30)),
            ".jsonl": "".join(f'{{"{name}": "q{i}", "response": "{i}"}}\n' for i in range(30)),
        }
        path.write_text((f"{name},response\n" if suffix == ".csv" else "") + rows[suffix])
        check_reader(table, {"path": str(path)})
