from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from attrs import field, frozen
from cases import for_each
from valor_files import Detected, columns_beside, first_rows
from valor_testing import ConformanceError, check_plugin, check_reader, input_laws

from valor_core.parameters import parameter, parameters
from valor_core.readers import InMemory
from valor_core.schemas import Batch, Datum, Datums
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import ReaderSpec, Registry, TaskSpec, hookimpl


@parameters
class AnswerParameters:
    """Parameters of the reader below."""

    path: Path = parameter(help="Table of answers.")


def read(chosen: AnswerParameters, task: Any) -> Any:
    """Read a table and keep its other columns."""
    return Answers(chosen.path, keeps=True)


def read_without_metadata(chosen: AnswerParameters, task: Any) -> Any:
    return Answers(chosen.path, keeps=False)


class Answers(InMemory):
    """Reader of a table of uids and answers."""

    def __init__(self, path: Path, keeps: bool) -> None:
        table = first_rows(path)
        assert table is not None
        own = ("uid", "answer") if keeps else table.names
        answers = table.values("answer").tolist()
        empty: list[Any] = [()] * len(answers)
        datums = Datums(table.uids("uid"), columns_beside(table, own=own))
        super().__init__((TextBatch(datums, [None] * len(answers), answers, *[empty] * 3),))


def detect(files: Any) -> Detected | None:
    table = first_rows(files[0]) if len(files) == 1 else None
    if table is None or not {"uid", "answer"} <= set(table.names):
        return None
    return Detected(data={"path": str(files[0])})


def detect_all(files: Any) -> Detected:
    return Detected(data={"path": str(files[0])})


def detect_any_table(files: Any) -> Any:
    return "a table" if str(files[0]).endswith(".csv") else None


def detect_other_parameters(files: Any) -> Any:
    table = first_rows(files[0]) if len(files) == 1 else None
    return None if table is None else Detected(data={"file": str(files[0])})


def detect_and_raise(files: Any) -> None:
    table = first_rows(files[0])
    if table is not None:
        table.values("answer")


def detect_by_first_line(files: Any) -> None:
    files[0].read_text(encoding="utf-8").splitlines()[0]


def pair(groundtruths: Any, predictions: Any) -> Batch | None:
    if not (isinstance(groundtruths, list) and isinstance(predictions, list)):
        return None
    if not all(isinstance(one, str) for one in (*groundtruths, *predictions)):
        return None
    items = zip(groundtruths, predictions, strict=False)
    return TextBatch.of(Text(str(i), response=p, references=t) for i, (t, p) in enumerate(items))


def pair_and_raise(groundtruths: Any, predictions: Any) -> NoReturn:
    raise KeyError(groundtruths.name)


def pair_all(groundtruths: Any, predictions: Any) -> Batch:
    return TextBatch.of([])


def pair_tuple(groundtruths: Any, predictions: Any) -> Any:
    return (groundtruths, predictions) if isinstance(groundtruths, list) and not groundtruths else 0


def pair_in_place(groundtruths: Any, predictions: Any) -> Batch | None:
    batch = pair(groundtruths, predictions)
    if batch is not None:
        predictions.append("")
    return batch


def reader(**facts: Any) -> ReaderSpec:
    values: dict[str, Any] = {
        "name": "notes.answers",
        "task": "text",
        "summary": "Answers",
        "parameters": AnswerParameters,
        "implementation": f"{__name__}:read",
    }
    return ReaderSpec(**(values | {k: f"{__name__}:{v}" for k, v in facts.items()}))


def test_valid_detection_and_pairs_keep_all_laws() -> None:
    spec = reader(detect="detect", pairs="pair")

    input_laws.unknown_files_are_declined(spec)
    input_laws.other_sides_are_declined(spec)


@for_each(
    ("function", "finding"),
    [
        ("nowhere", "has no attribute 'nowhere'"),
        ("detect_all", "expected None for data.unknown of an unknown format, found {'path'"),
        ("detect_any_table", "table.csv: expected None or Detected(data=…), found 'a table'"),
        ("detect_other_parameters", "table.csv: expected parameters of notes.answers in data"),
        ("detect_and_raise", "expected None for table.csv, found ReadError"),
        ("detect_by_first_line", "expected None for data.unknown, found UnicodeDecodeError"),
    ],
)
def test_detection_that_raises_or_claims_other_files_is_reported(
    function: str, finding: str
) -> None:
    with pytest.raises(ConformanceError) as caught:
        input_laws.unknown_files_are_declined(reader(detect=function))

    assert finding in str(caught.value)


@for_each(
    ("function", "finding"),
    [
        ("nowhere", "has no attribute 'nowhere'"),
        ("pair_and_raise", "found AttributeError: '_Unknown' object has no attribute 'name'"),
        ("pair_all", "expected None for an object of an unknown class and"),
        ("pair_tuple", "pairs: expected None for an object of an unknown class and"),
        ("pair_in_place", "before pairs and"),
    ],
)
def test_pairs_that_raise_or_return_nonsense_are_reported(function: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        input_laws.other_sides_are_declined(reader(pairs=function))

    assert finding in str(caught.value)


def test_reader_that_loses_columns_is_reported(tmp_path: Path) -> None:
    for name, text in {
        "answers.csv": "uid,answer\na,Paris\nb,Rome\n",
        "answers.jsonl": '{"uid": "a", "answer": "Paris"}\n{"uid": "b", "answer": "Rome"}\n',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        source = {"path": str(tmp_path / name)}
        check_reader(reader(detect="detect"), source)

        with pytest.raises(ConformanceError, match="expected the column 'conformance_note'"):
            check_reader(reader(implementation="read_without_metadata"), source)
        with pytest.raises(ConformanceError, match="its files are detected"):
            check_reader(reader(detect="detect_other_parameters"), source)


@frozen
class Note:
    """Item of the task below."""

    uid: str
    words: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(factory=dict)


@frozen
class NoteBatch(Batch):
    """Columns of notes."""

    task = "notes"

    datums: Datums
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, items: Any) -> NoteBatch:
        items = list(items)
        datums = Datums.of(Datum(item.uid, item.metadata) for item in items)
        return cls(datums, tuple(item.words for item in items))

    def select(self, positions: Any) -> NoteBatch:
        words = tuple(self.words[i] for i in positions.tolist())
        return NoteBatch(self.datums.select(positions), words)

    def items(self) -> Any:
        for i, words in enumerate(self.words):
            datum = self.datums.at(i)
            yield Note(datum.uid, words, datum.metadata)


def note_examples() -> dict[str, list[NoteBatch]]:
    return {"small": [NoteBatch.of([Note("a", ("x", "y")), Note("b")])]}


def rows(table: Any) -> NoteBatch:
    words = tuple(tuple(cell.split()) for cell in table.strings("words"))
    return NoteBatch(Datums(table.uids("uid"), columns_beside(table, own=("uid", "words"))), words)


def rows_with_lengths(table: Any) -> NoteBatch:
    """Replace the other columns by the number of words."""
    words = rows(table).words
    return NoteBatch(Datums(table.uids("uid"), {"length": list(map(len, words))}), words)


def rows_of_other_columns(table: Any) -> NoteBatch:
    words = tuple((text,) for text in table.strings("text"))
    return NoteBatch(Datums(table.rows, columns_beside(table, own=("text",))), words)


def manifest(**facts: Any) -> Registry:
    """Return a registry with a plugin that declares the task."""
    values: dict[str, Any] = {
        "name": "notes.notes",
        "summary": "Notes",
        "implementation": f"{__name__}:NoteBatch",
        "item": f"{__name__}:Note",
        "examples": f"{__name__}:note_examples",
    }
    spec = TaskSpec(**(values | {k: f"{__name__}:{v}" for k, v in facts.items()}))
    module: Any = ModuleType("notes_plugin")
    module.valor_tasks = hookimpl(lambda: [spec], specname="valor_tasks")
    registry = Registry()
    registry.register("notes", module)
    return registry


def test_task_that_keeps_all_laws() -> None:
    check_plugin("notes", manifest(rows="rows"))
    check_plugin("notes", manifest())


@for_each(
    ("facts", "finding"),
    [
        ({"rows": "rows_with_lengths"}, "expected the column 'conformance_note'"),
        ({"rows": "rows_of_other_columns"}, "give a table: readers={'tables.table': {'path': …}}"),
        ({"rows": "nowhere"}, "has no attribute 'nowhere'"),
        ({"item": "nowhere"}, "has no attribute 'nowhere'"),
        ({"implementation": "Note"}, "to be a subclass of Batch"),
        ({"implementation": "TextBatch"}, "expected task = 'notes' in the batch, found 'text'"),
        ({"pairs": "pair_and_raise"}, "found AttributeError"),
    ],
)
def test_broken_task_is_reported(facts: dict[str, str], finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_plugin("notes", manifest(**facts))

    assert finding in str(caught.value)


def test_table_of_a_task_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("text\nhello\nworld\n")
    readers = {"tables.table": {"path": str(path)}}

    check_plugin("notes", manifest(rows="rows_of_other_columns"), readers=readers)
    with pytest.raises(ConformanceError, match=r"there is no reader 'tables\.table'"):
        check_plugin("notes", manifest(), readers=readers)
