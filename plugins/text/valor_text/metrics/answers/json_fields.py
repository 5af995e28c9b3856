"""JSONFields: how well each field of the references is found, over all items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from attrs import define, frozen

from valor_core import Failed, Result, Undefined
from valor_core.errors import StateError, shown
from valor_core.parameters import changed_parameters, parameter_values
from valor_core.schemas.text import TextBatch
from valor_core.states import Content, DerivedState, StateRequest, counted
from valor_text.counting.complete import complete
from valor_text.metrics.answers.json_match import Reading
from valor_text.parameters.answers import JSONMatchParameters

_PLACE = re.compile(r'(\["(?:[^"\\]|\\.)*"\])|\[\d+\]')
"""A place in a list; a key that looks like one stands in quotes."""


@define
class FieldCounts(DerivedState):
    """State: how often each field is in responses, in references, and right.

    Parameters
    ----------
    ordered, normaliser, fenced, absolute, relative
        As in `JSONMatchParameters`.
    """

    ordered: bool
    normaliser: str
    fenced: bool
    absolute: float = 0.0
    relative: float = 0.0
    said: Counter[str] = counted(Counter)
    wanted: Counter[str] = counted(Counter)
    right: Counter[str] = counted(Counter)
    left_out: Counter[str] = counted(Counter)

    def update(self, batch: TextBatch) -> None:
        """Count a batch."""
        reading = Reading(
            JSONMatchParameters(
                ordered=self.ordered,
                normaliser=self.normaliser,
                fenced=self.fenced,
                absolute=self.absolute,
                relative=self.relative,
            )
        )
        items, left_out = complete(batch)
        self.left_out += left_out
        texts = zip(items.responses.tolist(), items.references.tolist(), strict=True)
        for response, references in texts:
            compared = reading.compared(response, references)
            if isinstance(compared, Failed):
                self.left_out["failed: a reference is no JSON"] += 1
                continue
            self.wanted += _anywhere(compared.reference.paths)
            self.right += _anywhere(compared.right)
            if not isinstance(compared.response, str):
                self.said += _anywhere(compared.response.paths)

    def restore(self, content: Content) -> None:
        """The counts that `dump` wrote.

        Raises
        ------
        StateError
            If a field is right more often than it is in responses or references.
        """
        super().restore(content)
        for path in {*self.wanted, *self.right}:
            most = min(self.wanted[path], self.said[path])
            if self.wanted[path] < 1 or self.right[path] > most:
                raise StateError(
                    f"right: expected a field of references, right at most {most:,} times, found "
                    f"{shown(path)} {self.right[path]:,} times"
                )


@frozen
class JSONFields:
    """F1 of each field of the references, over all items; places in lists are not told apart.

    The value is a table of F1 by path, ``$.tags[*]``: twice the right fields of the path, divided
    by those of all responses and of all references. Responses that are no JSON have no fields.

    Parameters
    ----------
    parameters : JSONMatchParameters
        What counts as equal.

    Examples
    --------
    >>> from valor_core import Text, evaluate
    >>> items = [Text("q1", response='{"a": 1, "b": 2}', references='{"a": 1, "b": 3}')]
    >>> evaluate(items, ["JSONFields"])["JSONFields"].value
    {'$.a': 1.0, '$.b': 0.0}
    """

    parameters: JSONMatchParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The counts of the fields."""
        return (StateRequest(FieldCounts, parameter_values(self.parameters)),)

    def compute(self, state: FieldCounts) -> Iterator[Result]:
        """One result: F1 by path."""
        shares = {
            path: 2 * state.right[path] / (state.said[path] + count)
            for path, count in sorted(state.wanted.items())
        }
        yield Result(
            parameters=changed_parameters(self.parameters),
            value=shares or Undefined("no items with JSON references"),
            left_out=dict(sorted(state.left_out.items())),
        )


def _anywhere(paths: Counter[str]) -> Counter[str]:
    """The same with a star for every place in a list."""
    found: Counter[str] = Counter()
    for path, count in paths.items():
        found[_PLACE.sub(lambda step: step[1] or "[*]", path)] += count
    return found
