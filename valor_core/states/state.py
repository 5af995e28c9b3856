"""States: counts of metrics, mergeable in any order and any split with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, ClassVar, Self

from attrs import evolve, field, frozen

from valor_core.errors import ValorError, not_defined
from valor_core.specs.extensions import reason_of

StateContent = dict[str, Any]
"""Content of a state for a file: arrays, numbers, strings, lists and dictionaries."""


class State:
    """Commutative monoid over batches: the same bits for any split and order of the data.

    A `StateRequest` creates its states. They are picklable, but not hashed or compared; two states
    of one request are equal if metrics read the same from them. A subclass implements `update`,
    `merge`, `dump` and `restore`; the other members have defaults.
    """

    __slots__ = ()

    refuses_nothing: ClassVar[bool] = False
    """True if `update` accepts every valid batch. Small batches are then counted together later."""

    divides: ClassVar[bool] = False
    """True if `select` is implemented. A batch is then counted once for all slices."""

    keeps_rows: ClassVar[bool] = False
    """True if the class accepts ``rows=(True,)`` and then has `item_rows`, which add up to it."""

    def update(self, batch: Any) -> None:
        """Count a batch, which is not modified.

        Evaluations with weights require a second parameter, ``weights=None``: the weight of each
        item as an array of float64. It is passed only if there are weights.
        """
        raise not_defined(self, "update(batch)")

    def merge(self, other: Any) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        raise not_defined(self, "merge(other)")

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        raise not_defined(self, "dump()")

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        raise not_defined(self, "restore(content)")

    def detach(self) -> None:
        """Copy arrays that belong to batches.

        Called if the producer of a batch may reuse its arrays for the next one.
        """

    def select(self, positions: Any) -> Self:
        """Return the state of the datums at ascending positions of the only batch counted."""
        raise not_defined(self, "select(positions)")

    def resamples(
        self, parts: Sequence[Any], weights: Any, nested: Callable[..., Iterable[Any]]
    ) -> Iterable[Any] | None:
        """Return the state of each resample of groups of items, for intervals.

        Called on a new state. Optional: by default, `valor_intervals` merges each part as often as
        its weight, which the states must equal. They are read once, in order, and not modified.

        Parameters
        ----------
        parts : sequence of State
            State of each group, which is not modified.
        weights : ndarray of int64, shape (n_resamples, n_parts)
            How often each group occurs in each resample.
        nested : callable
            ``nested(new, parts, weights)`` returns the resamples of states in these states. `new`
            is a function that makes such a state without counts.
        """
        return None

    def within(self, whole: Any) -> Self:
        """Return an equal state that may reuse results cached in `whole`.

        `whole` is the state of all data, and this is the state of a slice.
        """
        return self

    def warnings(self) -> Iterable[str]:
        """Return warnings about the data for the report, one sentence each."""
        return ()

    @property
    def is_final(self) -> bool:
        """True if counting the same data again would give the same state.

        False if an item failed for a temporary reason, such as an unavailable server. Saved
        states exclude partitions whose state is not final, so that a resumed run repeats them.
        """
        return True

    @property
    def item_rows(self) -> Any:
        """`ItemRows` sorted by uid, or None if the state keeps none."""
        return None

    def lacking(self, kind: type) -> Iterable[Any]:
        """Return uids of items without a score for a reason of this class, such as `Failed`."""
        return ()

    @property
    def stop_reason(self) -> str | None:
        """Reason why items were not scored without a stop by the user, such as a spent budget."""
        return None


Resources = Mapping[str, Any]
"""Opened resources by name."""


class Preparation:
    """Preparation of batches by resources, for all requests with this class together.

    An instance is the ``prepare`` of a request. Slices call ``select(positions)`` on the content
    that `together` returns for the request.
    """

    __slots__ = ()

    @property
    def waits(self) -> bool:
        """True if it waits for a resource. Progress then counts single items."""
        return False

    @classmethod
    def together(
        cls, requests: Sequence[StateRequest], batch: Any, resources: Resources
    ) -> Sequence[Any]:
        """Return the content that updates the states of each request, in their order."""
        raise not_defined(cls, "together(requests, batch, resources)")


def _items(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(mapping.items()))


def _fields(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _unions(mapping: Mapping[str, Iterable[Any]]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    return tuple(sorted((name, tuple(sorted(set(values)))) for name, values in mapping.items()))


@frozen
class StateRequest:
    """Request for a state of a metric.

    Requests with the same class and an equal key share a state with the union of their `union`.

    Parameters
    ----------
    state : type
        Class of the state, called with `key` and `union` as keywords.
    key : mapping of str to hashable
        Settings that states cannot share: a matching rule, a number of bins.
    union : mapping of str to set
        Settings that one state can serve together: thresholds, area ranges. Passed as sorted
        tuples.
    prepare : callable or Preparation, optional
        ``prepare(batch, resources)`` returns the content for `State.update` instead of the batch,
        for states that need a resource.

    Examples
    --------
    >>> class Hits(State):
    ...     def __init__(self, thresholds):
    ...         self.thresholds = thresholds
    >>> one = StateRequest(Hits, union={"thresholds": [0.5]})
    >>> two = StateRequest(Hits, union={"thresholds": [0.25, 0.5]})
    >>> join([one, two])[0].open().thresholds
    (0.25, 0.5)
    """

    state: type[State]
    key: tuple[tuple[str, Any], ...] = field(factory=dict, converter=_items)
    union: tuple[tuple[str, tuple[Any, ...]], ...] = field(factory=dict, converter=_unions)
    prepare: Callable[[Any, Resources], Any] | Preparation | None = None

    def with_rows(self) -> StateRequest:
        """Return the request for a state that also keeps the rows of items, if it can."""
        union = {**dict(self.union), "rows": (True,)}
        return evolve(self, key=dict(self.key), union=union) if self.state.keeps_rows else self

    @property
    def waits(self) -> bool:
        """True if preparing a batch waits for a resource."""
        return isinstance(self.prepare, Preparation) and self.prepare.waits

    @property
    def weighs(self) -> bool:
        """True if the state can count items with weights."""
        return "weights" in signature(self.state.update).parameters

    def open(self) -> Any:
        """Create a state without counts."""
        return self.state(**dict(self.key), **dict(self.union))

    def prepared(self, batch: Any, resources: Resources) -> Any:
        """Return the content that updates a state of this request with a batch."""
        if isinstance(self.prepare, Preparation):
            return self.prepare.together([self], batch, resources)[0]
        return batch if self.prepare is None else self.prepare(batch, resources)

    def joins(self, other: StateRequest) -> bool:
        """Return whether one state can serve both requests."""
        return (
            self.state == other.state
            and self.key == other.key
            and self.prepare == other.prepare
            and [name for name, _ in self.union] == [name for name, _ in other.union]
        )

    def joined(self, other: StateRequest) -> StateRequest:
        """Return the request that serves both."""
        wider = dict(other.union)
        union = {name: (*values, *wider[name]) for name, values in self.union}
        return StateRequest(self.state, dict(self.key), union, self.prepare)


@frozen(repr=False)
class RowsOf:
    """Request for the rows of a per-item metric of this or another plugin.

    `compute` receives its `ItemRows`, sorted by uid. The metric is scored once, even if it was also
    selected by the user.

    Parameters
    ----------
    metric : str
        Full name, ``"llm.AnswerCorrectness"``. A suffix ``@version`` asserts the version.
    parameters : mapping
        Parameters that differ from the defaults, as in a config.
    metadata : tuple of str
        Metadata fields to include in the rows. Results fail if no item has one of them.

    Examples
    --------
    >>> RowsOf("llm.AnswerCorrectness", metadata=("noise",)).metadata
    ('noise',)
    """

    metric: str
    parameters: Mapping[str, Any] = field(factory=dict)
    metadata: tuple[str, ...] = field(default=(), converter=_fields)


@frozen(repr=False)
class FailedState:
    """Replacement for a state that failed; only the metrics that read it fail.

    Parameters
    ----------
    reason : str
        Step and error: ``"update: RuntimeError: out of range"``.
    """

    reason: str

    @classmethod
    def by(cls, step: str, error: BaseException) -> FailedState:
        """Return the replacement for a state in which a step raised an error."""
        return cls(f"{step}: {reason_of(error)}")

    def dump(self) -> StateContent:
        """Return the reason, for a file."""
        return {"broken": self.reason}


def merge(states: list[Any], others: Sequence[Any]) -> None:
    """Merge states into others of the same requests; a failed merge becomes a `FailedState`."""
    for position, (state, other) in enumerate(zip(states, others, strict=True)):
        reasons = [one.reason for one in (state, other) if isinstance(one, FailedState)]
        if reasons:
            states[position] = FailedState(min(reasons))  # `min` is independent of the order
            continue
        try:
            state.merge(other)
        except ValorError:
            raise
        except Exception as error:
            states[position] = FailedState.by("merge", error)


def join(requests: Iterable[StateRequest]) -> list[StateRequest]:
    """Return the fewest requests that serve all, in the order of first occurrence."""
    joined: list[StateRequest] = []
    for request in requests:
        position = find(joined, request)
        if position is None:
            joined.append(request)
        else:
            joined[position] = joined[position].joined(request)
    return joined


def prepare_together(
    requests: Sequence[StateRequest], batch: Any, resources: Resources
) -> dict[int, Any]:
    """Prepare a batch for all requests with a `Preparation`; return contents by position."""
    groups: dict[type[Preparation], list[int]] = {}
    for position, request in enumerate(requests):
        if isinstance(request.prepare, Preparation):
            groups.setdefault(type(request.prepare), []).append(position)
    return {
        position: content
        for kind, positions in groups.items()
        for position, content in zip(
            positions,
            kind.together([requests[each] for each in positions], batch, resources),
            strict=True,
        )
    }


def find(requests: Iterable[StateRequest], request: StateRequest) -> int | None:
    """Return the position of the request that serves another one, or None."""
    return next((i for i, other in enumerate(requests) if other.joins(request)), None)
