"""States by slice: a metric's own states for every value of some metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from valor_core.evaluation.slices import SliceKey, Slices, slice_from_json, slice_to_json
from valor_core.metrics.state import Content, Resources, State, StateRequest
from valor_core.schemas import Batch


def by_slice(request: StateRequest, *fields: str) -> StateRequest:
    """A request for one state of another request by each value of some metadata fields.

    A metric that asks for it can make one result of all of them: a curve over noise levels.
    `compute` is called with a `StatesBySlice`.

    Examples
    --------
    >>> from valor_core.schemas.text import Text, TextBatch
    >>> from attrs import define
    >>> @define
    ... class Count:
    ...     count: int = 0
    ...     def update(self, batch):
    ...         self.count += len(batch)
    >>> request = by_slice(StateRequest(Count), "noise")
    >>> states = request.open()
    >>> batch = TextBatch.of([Text(i, metadata={"noise": i % 2}) for i in range(3)])
    >>> states.update(request.prepared(batch, {}))
    >>> [(where["noise"], state.count) for where, state in states.items()]
    [(0, 2), (1, 1)]
    """
    return StateRequest(
        StatesBySlice, {"request": request, "fields": fields}, prepare=_with_resources
    )


def _with_resources(batch: Batch, resources: Resources) -> tuple[Batch, Resources]:
    return batch, resources


@define
class StatesBySlice(State):
    """States of one request by the values of some metadata fields.

    Parameters
    ----------
    request : StateRequest
        The request of each of them.
    fields : tuple of str
        The metadata fields.
    """

    request: StateRequest
    fields: tuple[str, ...]
    _states: dict[SliceKey, Any] = field(factory=dict)

    @property
    def _slices(self) -> Slices:
        return Slices([list(self.fields)])

    def items(self) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """Each combination of values, in their order, with its state."""
        for where, keys in self._slices.groups(self._states):
            yield where, self._states[keys[0]]

    def update(self, prepared: tuple[Batch, Resources]) -> None:
        """Count a batch, each of its items in the state of its slice."""
        batch, resources = prepared
        for key, positions in self._slices.split(batch):
            if len(positions):
                part = batch if len(positions) == len(batch) else batch.select(positions)
                self._state(key).update(self.request.prepared(part, resources))
        self._slices.check(self._states)

    def merge(self, other: StatesBySlice) -> None:
        """Count what other states counted, each in its slice."""
        for key, state in other._states.items():
            self._state(key).merge(state)
        self._slices.check(self._states)

    def _state(self, key: SliceKey) -> Any:
        if key not in self._states:
            self._states[key] = self.request.open()
        return self._states[key]

    def detach(self) -> None:
        """Make the states independent of the arrays of the batches that they counted."""
        for state in self._states.values():
            state.detach()

    def dump(self) -> Content:
        """Every state with the values of its slice."""
        return {
            "keys": [slice_to_json(key) for key in self._states],
            "states": [state.dump() for state in self._states.values()],
        }

    def restore(self, content: Content) -> None:
        """The states that `dump` wrote."""
        for key, kept in zip(content["keys"], content["states"], strict=True):
            self._state(slice_from_json(key)).restore(kept)
