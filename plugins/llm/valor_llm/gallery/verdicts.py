"""VerdictGallery: judged texts with the verdicts and analyses of the judge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_report import MarkedPiece, MarkedTexts

from valor_core import Registry
from valor_core.errors import ParameterError, error_at
from valor_core.results import Failed, ItemRow, ItemRows, NotRun, Undefined
from valor_core.schemas.text import Text, TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_llm.parameters.metrics import VerdictsParameters

FOR, AGAINST = "counts for the score", "counts against it"

_LEAST = float(np.nextafter(0.0, 1.0))
"""Distance of items that are shown although they have the best score."""


class VerdictGallery:
    """Shows query, response and contexts of an item, with the judge's tables below.

    Failed items come first, then the worst scores. The judge is not asked again: the rows are those
    of the run.

    Parameters
    ----------
    parameters : VerdictsParameters
        The metric, and how much is shown.
    """

    legend: Mapping[str, str] = {FOR: "#b2f2bb", AGAINST: "#ffa8a8"}

    def __init__(self, parameters: VerdictsParameters) -> None:
        self.parameters = parameters
        with error_at("gallery.by: "):
            self._spec = Registry().metric(parameters.by, "text")
        if self._spec.best_value is None or not isinstance(self._spec, ItemMetricSpec):
            raise ParameterError(
                f"gallery.by: expected a metric of items with a best value, got {self._spec.name}",
                "Name one such as llm.Faithfulness.",
            )
        self._rows: dict[Any, ItemRow] = {}

    @property
    def shows(self) -> str:
        """Full name of the metric."""
        return self._spec.name

    def take(self, rows: ItemRows) -> None:
        """Keep the rows of the run."""
        self._rows = {row.uid: row for row in rows}

    def errors(self, batch: TextBatch) -> NDArray[np.float64]:
        """Return the distance of each item from the best score; failed items are the worst."""
        return np.array([self._error(uid) for uid in batch.datums.uids.tolist()], np.float64)

    def _error(self, uid: Any) -> float:
        row = self._rows.get(uid)
        if row is None:
            return 0.0
        least = _LEAST if self.parameters.every else 0.0
        if isinstance(row.value, (Failed, NotRun)):
            return np.inf
        if not isinstance(row.value, float):
            return least
        return max(abs(row.value - (self._spec.best_value or 0.0)), least)

    def draw(self, batch: TextBatch) -> MarkedTexts:
        """Return the texts of the batch's only item, and the tables of the judge."""
        (item,) = batch.items()
        row = self._rows[item.uid]
        texts = {title: [MarkedPiece(self._cut(text))] for title, text in _texts(item)}
        marks: Counter[str] = Counter()
        tables: dict[str, list[Mapping[str, MarkedPiece]]] = {}
        for scoring in _scorings(row.details):
            for title, rows in scoring.tables():
                tables[title] = [
                    {name: self._cell(name, value, marks) for name, value in one.items()}
                    for one in rows
                ]
        counts = {meaning: marks[meaning] for meaning in self.legend}
        return MarkedTexts(texts, counts, self._notes(row), tables, _state(row))

    def _notes(self, row: ItemRow) -> list[str]:
        name = self._spec.short_name
        value = row.value
        if isinstance(value, float):
            notes = [f"{name} {value:.4f}"]
        elif isinstance(value, (Failed, NotRun, Undefined)):
            notes = [f"{name} {_state(row)}: {value.reason}"]
        else:
            notes = [f"{name} {json.dumps(value)}"]
        note = row.details.get("note")
        return [*notes, *([note] if note else []), *_taken(row.details.get("steps", ()))]

    def _cell(self, name: str, value: Any, marks: Counter[str]) -> MarkedPiece:
        text = _written(value)
        if name != "verdict":
            return MarkedPiece(self._cut(text))
        meaning = FOR if (value == "yes") == self._spec.higher_is_better else AGAINST
        marks[meaning] += 1
        return MarkedPiece(text, meaning)

    def _cut(self, text: str) -> str:
        most = self.parameters.characters
        return text if len(text) <= most else f"{text[:most]}…"


@frozen
class _Scoring:
    """One scoring of an item, with its judge if there are several."""

    who: str
    details: Mapping[str, Any]

    def tables(self) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
        """Yield its tables with their titles: verdicts and ratings first."""
        first = [name for name in ("verdicts", "ratings") if name in self.details]
        for name in dict.fromkeys([*first, *self.details]):
            value = self.details[name]
            if name in ("steps", "scorings") or not isinstance(value, (list, tuple)) or not value:
                continue
            rows = [one if isinstance(one, Mapping) else {"text": one} for one in value]
            yield f"{self.who}{name}", rows


def _scorings(details: Mapping[str, Any]) -> Iterator[_Scoring]:
    """Yield the only scoring of an item, or those of all judges and repeats."""
    yield _Scoring("", details)
    for one in details.get("scorings", ()):
        said = _written(one.get("value", one.get("error", one.get("undefined"))))
        yield _Scoring(f"{one['judge']}, repeat {one['repeat']}, {said}: ", one)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    is_fraction = isinstance(value, float)
    return f"{value:.4f}" if is_fraction else json.dumps(value, ensure_ascii=False)


def _texts(item: Text) -> Iterator[tuple[str, str]]:
    if item.query is not None:
        yield "query", item.query
    if item.response is not None:
        yield "response", item.response
    for name, texts in (("reference", item.references), ("context", item.contexts)):
        for number, text in enumerate(texts, 1):
            yield (f"{name} {number}" if len(texts) > 1 else name), text


def _state(row: ItemRow) -> str:
    states = {Failed: "failed", NotRun: "not run", Undefined: "undefined"}
    return next((state for cls, state in states.items() if isinstance(row.value, cls)), "scored")


def _taken(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence about the calls of an item."""
    if not steps:
        return
    models = ", ".join(sorted({one["model"] for one in steps}))
    replies = sum(one["attempts"] for one in steps)
    prompt, completion = (sum(one["tokens"][side] for one in steps) for side in (0, 1))
    tokens = f", {prompt:,} tokens of prompts and {completion:,} of replies" if prompt else ""
    answers = f"{len(steps)} answer{'' if len(steps) == 1 else 's'}"
    more = f" in {replies} replies" if replies != len(steps) else ""
    yield f"{models}: {answers}{more}{tokens}"
