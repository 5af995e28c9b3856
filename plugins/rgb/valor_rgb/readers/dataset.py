"""Reader of the benchmark's data sets: one sample for each question, ability and noise ratio."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen
from valor_files import Table, TablePartition, columns_beside, json_cells, read_table

from valor_core.errors import ReadError, SchemaError, short_repr
from valor_core.readers import Partition
from valor_core.schemas import Datums
from valor_rgb.mixing import Mixing, Passages
from valor_rgb.parameters.readers import DatasetParameters
from valor_rgb.parameters.rules import ABILITIES
from valor_rgb.readers.recorded import recorded_responses
from valor_rgb.readers.responses import split_records
from valor_rgb.samples.batch import FIELDS, RGBBatch, checked_cells
from valor_rgb.samples.sample import Answers, as_answers, as_spellings

CLOSED_BOOK = "closed_book"
"""Level in the uid of a question without documents, instead of a noise ratio."""

_PARTS = (("answer1", "asnwer1"), ("answer2", "asnwer2"))
"""Keys of the parts of an answer; one of the benchmark's files misspells the first."""

_OWN = (
    *("id", "query", "answer", "fakeanswer", "positive", "negative", "positive_wrong"),
    *(key for keys in _PARTS for key in keys),
)


@frozen
class DatasetPartition(Partition):
    """Part of a file of questions, for one ability.

    Parameters
    ----------
    ability : str
        The ability.
    part : TablePartition
        The part.
    responses : tuple of Path
        Files of the responses, so that a saved state detects their changes.
    """

    ability: str
    part: TablePartition
    responses: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """Name in messages."""
        return f"{self.part.name}, {self.ability}"

    @property
    def identity(self) -> str:
        """Name that does not depend on the working directory."""
        return f"{self.part.identity}, {self.ability}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of the partition."""
        return (*self.part.paths, *self.responses)


@frozen
class Level:
    """Variant of every question of a file.

    Parameters
    ----------
    name : str
        Name in uids.
    noise_ratio : float, optional
        Requested share of irrelevant documents; None without documents.
    """

    name: str
    noise_ratio: float | None


@frozen
class DatasetReader:
    """Reader of the benchmark's files, which samples the documents of each prompt.

    Parameters
    ----------
    parameters : DatasetParameters
        Files, noise and responses.
    task : str
        Always ``"rgb"``.
    """

    parameters: DatasetParameters
    task: str = field(default="rgb")

    def partitions(self) -> Sequence[DatasetPartition]:
        """Return parts of the files, ability by ability."""
        chosen = self.parameters
        return [
            DatasetPartition(ability, part, chosen.responses)
            for ability in ABILITIES
            for path in getattr(chosen, ability)
            for part in split_records(path, chosen.partition_bytes)
        ]

    def read(self, partition: DatasetPartition) -> Iterator[RGBBatch]:
        """Yield the samples of one part: each question at each level of noise."""
        questions = Questions(read_table(partition.part), partition.ability)
        levels = self._levels(partition.ability)
        draws = [self._draw(questions, level) for level in levels]
        responses = recorded_responses(self.parameters.responses, self._groups())
        uids: list[str] = []
        columns: dict[str, list[Any]] = {name: [] for name in FIELDS}
        facts: dict[str, list[Any]] = {}
        for row, identifier in enumerate(questions.identifiers):
            for level, draw in zip(levels, draws, strict=True):
                group = _group(questions.file, partition.ability, level.name)
                uids.append(f"{group}/{identifier}")
                drawn = draw(row)
                sample = {
                    "ability": partition.ability,
                    "response": responses.get(uids[-1]),
                    "answers": questions.answers[row],
                    "false_answer": questions.false_answers[row],
                    "noise_ratio": level.noise_ratio,
                    "closed_book": level.noise_ratio is None,
                    "query": questions.queries[row],
                    "contexts": drawn.texts,
                }
                for name, value in sample.items():
                    columns[name].append(value)
                for name, value in (questions.facts(row) | _counts(drawn)).items():
                    facts.setdefault(name, []).append(value)
        yield RGBBatch(Datums(uids, facts), *columns.values())

    def _levels(self, ability: str) -> list[Level]:
        chosen = self.parameters
        if ability == "noise_robustness":
            return [Level(repr(ratio), ratio) for ratio in chosen.noise_ratios]
        if ability == "information_integration":
            return [Level(repr(ratio), ratio) for ratio in chosen.integration_noise_ratios]
        if ability == "negative_rejection":
            return [Level("1.0", 1.0)]
        ratio = chosen.counterfactual_noise_ratio
        closed = [Level(CLOSED_BOOK, None)] if chosen.closed_book else []
        return [Level(repr(ratio), ratio), *closed]

    def _groups(self) -> list[str]:
        """Return the prefixes of all uids."""
        return [
            _group(_name(path), ability, level.name)
            for ability in ABILITIES
            for path in getattr(self.parameters, ability)
            for level in self._levels(ability)
        ]

    def _draw(self, questions: Questions, level: Level) -> Callable[[int], Passages]:
        """Return a function that samples the documents of a row."""
        if level.noise_ratio is None:
            return lambda row: Passages(())
        chosen = self.parameters
        mixing = Mixing(level.noise_ratio, chosen.passages, chosen.seed, chosen.strict)
        return lambda row: questions.drawn(row, mixing, chosen.correct_ratio)


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def _group(file: str, ability: str, level: str) -> str:
    return f"{file}/{ability}/{level}"


def _counts(drawn: Passages) -> dict[str, Any]:
    """Return the actual numbers of documents, as metadata."""
    return {
        "positive_passages": drawn.positive,
        "negative_passages": drawn.negative,
        "counterfactual_passages": drawn.counterfactual,
        "realized_noise_ratio": drawn.noise_ratio,
    }


class Questions:
    """Questions of a part of a file; errors name the cell.

    Parameters
    ----------
    table : Table
        The rows.
    ability : str
        Ability of the questions, which determines the required fields.
    """

    def __init__(self, table: Table, ability: str) -> None:
        self._table = table
        self._ability = ability
        self.file = _name(Path(table.source))
        self.identifiers = self._identifiers()
        self.queries = table.strings("query").tolist() if len(table) else []
        self.answers = self._answers()
        self.false_answers = self._checked("fakeanswer", as_spellings)
        self._beside = columns_beside(table, _OWN)
        is_integration = ability == "information_integration"
        self._positive = self._documents("positive", _grouped if is_integration else _listed)
        self._negative = self._documents("negative", _listed)
        is_counterfactual = ability == "counterfactual_robustness"
        self._false = self._documents("positive_wrong", _listed) if is_counterfactual else []

    def facts(self, row: int) -> dict[str, Any]:
        """Metadata of a row: its file, and the remaining columns."""
        return {"file": self.file} | {name: cells[row] for name, cells in self._beside.items()}

    def drawn(self, row: int, mixing: Mixing, correct_ratio: float) -> Passages:
        """Sample the documents of a row."""
        positive, negative = self._positive[row], self._negative[row]
        table = self._table
        try:
            if self._ability == "information_integration":
                return mixing.integrated(positive, negative)
            if self._ability == "counterfactual_robustness":
                return mixing.counterfactual(self._false[row], positive, negative, correct_ratio)
            return mixing.base(positive, negative)
        except SchemaError as error:
            where = f"{table.source}, {table.unit} {table.row(row)}"
            raise ReadError(f"{where}: {error.message}", error.remedy) from error

    def _identifiers(self) -> list[Any]:
        if self._table.has("id"):
            names: list[Any] = self._table.uids("id").tolist()
            return names
        return [self._table.row(row) for row in range(len(self._table))]

    def _answers(self) -> list[Answers]:
        """Return the answers, from their parts if a row has no complete one."""
        whole = self._checked("answer", as_answers)
        keys = [next(filter(self._table.has, names), None) for names in _PARTS]
        cells = [json_cells(self._table, key) for key in keys if key is not None]
        parts = [[column[row] for column in cells] for row in range(len(self._table))]
        answers = [
            answer or as_answers([part for part in parts[row] if part is not None])
            for row, answer in enumerate(whole)
        ]
        for row, answer in enumerate(answers):
            if not answer:
                raise ReadError(
                    f"{self._table.place(row, 'answer')}: expected an answer, found none"
                )
        return answers

    def _checked(self, name: str, check: Callable[[Any, str], Any]) -> list[Any]:
        if not self._table.has(name):
            return [check(None, name)] * len(self._table)
        return checked_cells(self._table, name, json_cells(self._table, name), check)

    def _documents(self, name: str, check: Callable[[Any, str], Any]) -> list[Any]:
        if not self._table.has(name):
            raise self._table.missing(name, purpose=f" of documents for {self._ability}")
        return self._checked(name, check)


def _listed(value: Any, where: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return value
    raise SchemaError(f"{where}: expected a list of documents, got {short_repr(value)}")


def _grouped(value: Any, where: str) -> list[list[str]]:
    if isinstance(value, list) and all(isinstance(group, list) for group in value):
        return [_listed(group, where) for group in value]
    raise SchemaError(
        f"{where}: expected a list of documents for each sub-question, got {short_repr(value)}"
    )
