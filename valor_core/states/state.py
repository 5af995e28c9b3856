"""States: what metrics count, mergeable in any order and any split with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from attrs import field, frozen

from valor_core.errors import ValorError

Content = dict[str, Any]
"""What a state is made of, for a file: arrays, numbers, strings, lists and dictionaries."""


class State:
    """A commutative monoid over batches: same bits for any split and order of the data.

    A state is made by its `StateRequest`, pickles, and is not hashed or compared; two states of
    one request are equal if what metrics read from them is equal. It has `update`, `merge`, `dump`
    and `restore`; the others need to be written only where a state can do more.
    """

    __slots__ = ()

    refuses_nothing: ClassVar[bool] = False
    """Whether `update` refuses no batch that follows the schema. Thin batches of a stream may then
    wait and be counted together."""

    divides: ClassVar[bool] = False
    """Whether there is a `select`. Slices then count a batch once."""

    def update(self, batch: Any) -> None:
        """Count a batch, without writing to it."""
        raise NotImplementedError

    def merge(self, other: Self) -> None:
        """Count what another state of the same request counted, without writing to it."""
        raise NotImplementedError

    def dump(self) -> Content:
        """Everything counted so far, for a file."""
        raise NotImplementedError

    def restore(self, content: Content) -> None:
        """Make a neutral state what `dump` described."""
        raise NotImplementedError

    def detach(self) -> None:
        """Copy the arrays of batches that it keeps, where it keeps any.

        It is called where whoever made a batch may use its arrays for the next one.
        """

    def select(self, positions: Any) -> Self:
        """The state of the datums at some positions, ascending, of the one batch it has counted."""
        raise NotImplementedError

    def within(self, whole: Self) -> Self:
        """An equal state that takes what it would work out from another, which counted more.

        The other has counted all of its items; it is that of all data, and this one of a slice.
        """
        return self

    def warnings(self) -> Iterable[str]:
        """Return warnings about the data for the report, one sentence each."""
        return ()

    @property
    def is_final(self) -> bool:
        """Whether counting the same data again would give the same state.

        False if an item failed for a reason that may pass, such as a server that was down. Saved
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
        """Why items were not scored although nobody stopped the run, such as a spent budget."""
        return None


Resources = Mapping[str, Any]
"""Opened resources by name."""


class Preparation:
    """Preparation of batches by resources, for all requests of its class together.

    A request has one as its ``prepare``. What `together` returns for a request is content with a
    method ``select(positions)``, which slices call.
    """

    __slots__ = ()

    @property
    def waits(self) -> bool:
        """Whether it waits for a resource. Its items then count towards the progress one by one."""
        return False

    @classmethod
    def together(
        cls, requests: Sequence[StateRequest], batch: Any, resources: Resources
    ) -> Sequence[Any]:
        """Return the content that updates the states of each request, in their order."""
        raise NotImplementedError


def _items(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(mapping.items()))


def _unions(mapping: Mapping[str, Iterable[Any]]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    return tuple(sorted((name, tuple(sorted(set(values)))) for name, values in mapping.items()))


@frozen
class StateRequest:
    """Which state a metric needs.

    Requests for the same class with an equal key become one state at the union of the rest.

    Parameters
    ----------
    state : type
        The state's class; called with the key and the unions as keywords.
    key : mapping of str to hashable
        What cannot be shared: a matching rule, a number of bins.
    union : mapping of str to set
        What can: thresholds, area ranges. Handed over as a sorted tuple.
    prepare : callable or Preparation, optional
        ``prepare(batch, resources)`` returns what the state is updated with instead of the batch.
        For states that need a resource.

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

    @property
    def waits(self) -> bool:
        """Whether preparing a batch waits for a resource."""
        return isinstance(self.prepare, Preparation) and self.prepare.waits

    def open(self) -> Any:
        """A neutral state."""
        return self.state(**dict(self.key), **dict(self.union))

    def prepared(self, batch: Any, resources: Resources) -> Any:
        """Return what a state of this request is updated with to count a batch."""
        if isinstance(self.prepare, Preparation):
            return self.prepare.together([self], batch, resources)[0]
        return batch if self.prepare is None else self.prepare(batch, resources)

    def joins(self, other: StateRequest) -> bool:
        """Whether one state can serve both."""
        return (
            self.state == other.state
            and self.key == other.key
            and self.prepare == other.prepare
            and [name for name, _ in self.union] == [name for name, _ in other.union]
        )

    def joined(self, other: StateRequest) -> StateRequest:
        """The request that serves both."""
        wider = dict(other.union)
        union = {name: (*values, *wider[name]) for name, values in self.union}
        return StateRequest(self.state, dict(self.key), union, self.prepare)


@frozen(repr=False)
class RowsOf:
    """A need for the rows of a per-item metric, of this plugin or another one.

    `compute` is called with its `ItemRows`, in the order of their uids. The metric is scored once,
    whether it was chosen on its own too or is only needed here.

    Parameters
    ----------
    metric : str
        Its full name, ``"llm.AnswerCorrectness"``; ``@version`` behind it asserts the version.
    parameters : mapping
        Its parameters where they are not the defaults, as a config gives them.
    metadata : tuple of str
        Fields of the items' metadata that the rows have.

    Examples
    --------
    >>> RowsOf("llm.AnswerCorrectness", metadata=("noise",)).metadata
    ('noise',)
    """

    metric: str
    parameters: Mapping[str, Any] = field(factory=dict)
    metadata: tuple[str, ...] = field(default=(), converter=tuple)


@frozen(repr=False)
class FailedState:
    """What stands in the place of a state that failed; its metrics fail, and no others.

    Parameters
    ----------
    reason : str
        What happened: ``"update: RuntimeError: out of range"``.
    """

    reason: str

    @classmethod
    def by(cls, step: str, error: BaseException) -> FailedState:
        """What stands for a state in which an error was raised."""
        return cls(f"{step}: {type(error).__name__}: {error}")

    def dump(self) -> Content:
        """The reason, for a file."""
        return {"broken": self.reason}


def merge(states: list[Any], others: Sequence[Any]) -> None:
    """Merge other states into some of the same requests; one that fails is `FailedState`."""
    for place, (state, other) in enumerate(zip(states, others, strict=True)):
        reasons = [one.reason for one in (state, other) if isinstance(one, FailedState)]
        if reasons:
            states[place] = FailedState(min(reasons))  # whichever came first
            continue
        try:
            state.merge(other)
        except ValorError:
            raise
        except Exception as error:
            states[place] = FailedState.by("merge", error)


def join(requests: Iterable[StateRequest]) -> list[StateRequest]:
    """The fewest requests that serve all, in the order of first mention."""
    joined: list[StateRequest] = []
    for request in requests:
        place = find(joined, request)
        if place is None:
            joined.append(request)
        else:
            joined[place] = joined[place].joined(request)
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


def find(requests: Iterable[StateRequest], wanted: StateRequest) -> int | None:
    """Position of the request that serves another one, or None."""
    return next((i for i, request in enumerate(requests) if request.joins(wanted)), None)
