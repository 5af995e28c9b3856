"""Examples: the worst items by a metric, with their texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, field, frozen

from valor_core import Registry, Result
from valor_core.errors import ParameterError, StateError, did_you_mean, short_repr
from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows, Numbers
from valor_core.results.item_rows import SINGLE
from valor_core.schemas.text import TextBatch
from valor_core.states import RowsOf, State, StateContent, StateRequest
from valor_text.parameters.gallery import ExamplesParameters

_NAMESPACE = "text."


@define
class ShortTexts(State):
    """State: beginnings of the texts of each item.

    Parameters
    ----------
    characters : int
        Largest number of characters to store of a text.

    Examples
    --------
    >>> from valor_core import Text
    >>> state = ShortTexts(3)
    >>> state.update(TextBatch.of([Text("q1", response="Paris", references="Lyon")]))
    >>> state.by_uid()["q1"]
    {'response': 'Par…', 'references': ['Lyo…']}
    """

    characters: int
    uids: list[str | int] = field(factory=list, init=False)
    responses: list[str | None] = field(factory=list, init=False)
    references: list[list[str]] = field(factory=list, init=False)

    def update(self, batch: TextBatch) -> None:
        """Store the texts of a batch."""
        self.uids += batch.datums.uids.tolist()
        self.responses += [
            None if text is None else self._short(text) for text in batch.responses.tolist()
        ]
        self.references += [
            list(map(self._short, texts_of_item)) for texts_of_item in batch.references.tolist()
        ]

    def merge(self, other: ShortTexts) -> None:
        """Add the texts of another state."""
        self.uids += other.uids
        self.responses += other.responses
        self.references += other.references

    def dump(self) -> StateContent:
        """Return the texts, for a file."""
        return {
            "uids": list(self.uids),
            "responses": list(self.responses),
            "references": list(map(list, self.references)),
        }

    def restore(self, content: StateContent) -> None:
        """Restore the texts that `dump` returned.

        Raises
        ------
        StateError
            If they are invalid.
        """
        uids, responses, references = (
            content[name] for name in ("uids", "responses", "references")
        )
        if not len(uids) == len(responses) == len(references):
            raise StateError(
                f"texts: expected as many uids as responses and references, found {len(uids):,}, "
                f"{len(responses):,} and {len(references):,}"
            )
        for uid, response, texts_of_item in zip(uids, responses, references, strict=True):
            is_named = isinstance(uid, (str, int)) and isinstance(response, (str, type(None)))
            if not is_named or not all(isinstance(text, str) for text in texts_of_item):
                raise StateError(
                    f"texts: expected texts, found {short_repr([uid, response, texts_of_item])}"
                )
        self.uids, self.responses = list(uids), list(responses)
        self.references = list(map(list, references))

    def by_uid(self) -> dict[str | int, dict[str, Any]]:
        """Return the texts of each item."""
        columns = zip(self.uids, self.responses, self.references, strict=True)
        return {uid: {"response": said, "references": wanted} for uid, said, wanted in columns}

    def _short(self, text: str) -> str:
        return text if len(text) <= self.characters else f"{text[: self.characters]}…"


@frozen
class Examples:
    """Worst items by the value of a metric, with their texts; equal ones by uid.

    The value is a list. Each item has its ``datum_id``, its value by name of the metric or number,
    its ``response`` and ``references``, and the ``details`` of the metric, if any. Items without a
    value are not listed.

    Parameters
    ----------
    parameters : ExamplesParameters
        Metric, and number of items to list.

    Examples
    --------
    >>> from valor_core import Text, evaluate
    >>> items = [Text("q1", response="a", references="a"), Text("q2", response="b", references="a")]
    >>> report = evaluate(items, [{"name": "Examples", "by": "ExactMatch", "limit": 1}])
    >>> report["Examples"].value
    [{'datum_id': 'q2', 'ExactMatch': 0.0, 'response': 'b', 'references': ['a']}]
    """

    parameters: ExamplesParameters

    def needs(self) -> tuple[RowsOf | StateRequest, ...]:
        """Request the rows of the metric, and the texts."""
        chosen = self.parameters
        return (
            RowsOf(chosen.by, chosen.settings),
            StateRequest(ShortTexts, {"characters": chosen.characters}),
        )

    def compute(self, rows: ItemRows, texts: ShortTexts) -> Iterator[Result]:
        """Yield one result, a list of items."""
        chosen = self.parameters
        name, numbers = self._numbers(rows)
        sign = 1 if self._is_lowest_worst else -1
        scored = np.flatnonzero(numbers.codes == 0)
        # Rows are sorted by uid, which a stable sort keeps.
        worst = scored[np.argsort(sign * numbers.values[scored], kind="stable")]
        last = None if chosen.limit is None else chosen.offset + chosen.limit
        by_uid, listed = texts.by_uid(), []
        for index in worst[chosen.offset : last].tolist():
            row = rows[index]
            item = {"datum_id": row.uid, name: float(numbers.values[index])} | by_uid[row.uid]
            listed.append(item | ({"details": dict(row.details)} if row.details else {}))
        parameters = {"by": chosen.by} | changed_parameters(chosen, "by")
        yield Result(parameters=parameters, value=listed)

    def _numbers(self, rows: ItemRows) -> tuple[str, Numbers]:
        """Return the name of the numbers that sort the items, and the numbers."""
        columns = rows.columns()
        wanted = self.parameters.number
        if columns.keys() == {SINGLE} and not len(columns[SINGLE].present):
            return SINGLE, columns[SINGLE]  # no items, so nothing to name
        if wanted is None and len(columns) == 1:
            ((name, numbers),) = columns.items()
            return name or self.parameters.by.partition("@")[0].removeprefix(_NAMESPACE), numbers
        if wanted in columns:
            return wanted, columns[wanted]
        names = [name for name in columns if name]
        expected = f"one of {', '.join(names)}" if names else "omitted"
        raise ParameterError(
            f"number must be {expected}, got {'none' if wanted is None else short_repr(wanted)}",
            did_you_mean(str(wanted), names)
            or (f"Write it as: number: {names[0]}" if names else "Omit it."),
        )

    @property
    def _is_lowest_worst(self) -> bool:
        if self.parameters.worst is not None:
            return self.parameters.worst == "lowest"
        spec = Registry().metric(self.parameters.by, "text")
        if spec.higher_is_better is None:
            raise ParameterError(
                f"worst must be lowest or highest, since {spec.name} has no direction, got none",
                "Write it as: worst: lowest",
            )
        return spec.higher_is_better
