"""Metrics and states that violate one law each, and one that complies with all laws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from attrs import define, field, frozen

from valor_core.errors import SchemaError
from valor_core.results import LazyValue, Result, Undefined
from valor_core.schemas import Batch
from valor_core.states import ExactSum, State, StateRequest


@define
class Weights(State):
    """Valid state: number of items, and exact sum of the lengths of their uids, divided by 10."""

    count: int = 0
    total: ExactSum = field(factory=ExactSum)

    def update(self, batch: Batch) -> None:
        lengths = [len(str(uid)) / 10 for uid in batch.datums.uids.tolist()]
        self.count += len(lengths)
        self.total.add(lengths)

    def merge(self, other: Any) -> None:
        self.count += other.count
        self.total.merge(other.total)

    def dump(self) -> dict[str, Any]:
        return {"count": self.count, "total": self.total.to_text()}

    def restore(self, content: dict[str, Any]) -> None:
        self.count = content["count"]
        self.total = ExactSum.from_text(content["total"])

    @property
    def mean(self) -> float | Undefined:
        return self.total.value / self.count if self.count else Undefined("no items")


@frozen
class Honest:
    """Valid metric: mean length."""

    parameters: Any
    state = Weights

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(self.state),)

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.mean)


@define
class AveragingWeights(Weights):
    """Averages the means of merged states."""

    value: float = 0.0

    def update(self, batch: Batch) -> None:
        Weights.update(self, batch)
        self.value = self.total.value / self.count if self.count else 0.0

    def merge(self, other: Any) -> None:
        Weights.merge(self, other)
        self.value = (self.value + other.value) / 2

    def dump(self) -> dict[str, Any]:
        return {**Weights.dump(self), "value": self.value}

    def restore(self, content: dict[str, Any]) -> None:
        Weights.restore(self, content)
        self.value = content["value"]

    @property
    def mean(self) -> float:
        return self.value


class Averaging(Honest):
    state = AveragingWeights


@define
class RoundingWeights(Weights):
    """Sums floats with rounding errors."""

    rounded: float = 0.0

    def update(self, batch: Batch) -> None:
        Weights.update(self, batch)
        for uid in batch.datums.uids.tolist():
            self.rounded += len(str(uid)) * 0.1 + (1e15 if str(uid).endswith("1") else 0.0)

    def merge(self, other: Any) -> None:
        Weights.merge(self, other)
        self.rounded += other.rounded

    def dump(self) -> dict[str, Any]:
        return {**Weights.dump(self), "rounded": self.rounded}

    def restore(self, content: dict[str, Any]) -> None:
        Weights.restore(self, content)
        self.rounded = content["rounded"]

    @property
    def mean(self) -> float:
        return self.rounded


class Rounding(Honest):
    state = RoundingWeights


@define
class UnevenWeights(Weights):
    """Accepts weights of items and counts their rounded sum."""

    rounded: float = 0.0

    def update(self, batch: Batch, weights: Any = None) -> None:
        Weights.update(self, batch)
        for weight in [1.0] * len(batch) if weights is None else weights.tolist():
            self.rounded += weight

    def merge(self, other: Any) -> None:
        Weights.merge(self, other)
        self.rounded += other.rounded

    def dump(self) -> dict[str, Any]:
        return {**Weights.dump(self), "rounded": self.rounded}

    def restore(self, content: dict[str, Any]) -> None:
        Weights.restore(self, content)
        self.rounded = content["rounded"]

    @property
    def mean(self) -> float:
        return self.rounded


class Uneven(Honest):
    state = UnevenWeights


@define
class DoublingWeights(Weights):
    """Counts items with weights twice."""

    def update(self, batch: Batch, weights: Any = None) -> None:
        for _ in range(1 if weights is None else 2):
            Weights.update(self, batch)

    @property
    def mean(self) -> float:
        return float(self.count)


class Doubling(Honest):
    state = DoublingWeights


@define
class LastWeights(Weights):
    """Keeps the last item."""

    last: str = ""

    def update(self, batch: Batch) -> None:
        if len(batch):
            self.last = str(batch.datums.uids[-1])

    def merge(self, other: Any) -> None:
        self.last = other.last or self.last

    def dump(self) -> dict[str, Any]:
        return {"last": self.last}

    def restore(self, content: dict[str, Any]) -> None:
        self.last = content["last"]

    @property
    def mean(self) -> float:
        return float(sum(map(ord, self.last)))


class Last(Honest):
    state = LastWeights


@define
class OneSidedWeights(LastWeights):
    """Ignores the merged state if it is not empty, so that the order of a merge matters."""

    def merge(self, other: Any) -> None:
        self.last = self.last or other.last


class OneSided(Honest):
    state = OneSidedWeights


@define
class DifferingWeights(Weights):
    """Merges counts by their absolute difference, which is commutative but not associative."""

    def merge(self, other: Any) -> None:
        self.total.merge(other.total)
        self.count = abs(self.count - other.count)

    @property
    def mean(self) -> float:
        return float(self.count)


class Differing(Honest):
    state = DifferingWeights


@define
class ScribblingWeights(Weights):
    """Writes to a list in the metadata."""

    def update(self, batch: Batch) -> None:
        Weights.update(self, batch)
        for tags in batch.datums.metadata.get("tags", ()):
            tags.append("seen")


class Scribbling(Honest):
    state = ScribblingWeights


@define
class OverwritingWeights(Weights):
    """Writes to a column, which is read-only."""

    def update(self, batch: Batch) -> None:
        Weights.update(self, batch)
        batch.datums.uids[:] = 0


class Overwriting(Honest):
    state = OverwritingWeights


@define
class AdoptingWeights(Weights):
    """Shares the sum of a merged state instead of copying it, if the state is new."""

    def merge(self, other: Any) -> None:
        if self.count == 0:
            self.count, self.total = other.count, other.total
        else:
            Weights.merge(self, other)


class Adopting(Honest):
    state = AdoptingWeights


@define
class DrainingWeights(Weights):
    """Clears the state that it merges."""

    def merge(self, other: Any) -> None:
        Weights.merge(self, other)
        other.count, other.total = 0, ExactSum()


class Draining(Honest):
    state = DrainingWeights


@define
class StartingWeights(Weights):
    """Starts with a count of one."""

    count: int = 1


class Starting(Honest):
    state = StartingWeights


@define
class CallingWeights(Weights):
    """Has a function, which cannot be pickled."""

    key: Any = field(factory=lambda: lambda uid: uid)


class Calling(Honest):
    state = CallingWeights


@define
class ForgettingWeights(Weights):
    """Omits the count when saving."""

    def dump(self) -> dict[str, Any]:
        return {"total": self.total.to_text()}

    def restore(self, content: dict[str, Any]) -> None:
        self.total = ExactSum.from_text(content["total"])


class Forgetting(Honest):
    state = ForgettingWeights


@define
class ObjectWeights(Weights):
    """Saves an object of an unsupported type."""

    def dump(self) -> dict[str, Any]:
        return {"count": self.count, "total": self.total}


class Unfit(Honest):
    state = ObjectWeights


@define
class ChoosyWeights(Weights):
    """Rejects batches of one item."""

    def update(self, batch: Batch) -> None:
        if len(batch) == 1:
            raise SchemaError("items: expected several, found one")
        Weights.update(self, batch)


class Choosy(Honest):
    state = ChoosyWeights


@define
class ChoosingWeights(Weights):
    """Rejects batches with the uid "only"."""

    def update(self, batch: Batch) -> None:
        if "only" in batch.datums.uids.tolist():
            raise SchemaError("items: expected others")
        Weights.update(self, batch)


class Choosing(Honest):
    state = ChoosingWeights


class Refusing(Honest):
    """Raises an error for all data that are not empty."""

    def compute(self, state: Any) -> Iterator[Result]:
        if state.count:
            raise SchemaError("items: expected others")
        yield Result(value=Undefined("no items"))


class NotANumber(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=float("nan") if state.count else Undefined("no items"))


class NestedNotANumber(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value={"curve": [0.5, float("nan")]})


class OutOfRange(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=-1.5 if state.count else Undefined("no items"))


class CrashingOnEmpty(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.total.value / state.count)


class RefusingEmpty(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        if not state.count:
            raise SchemaError("items: expected some")
        yield Result(value=state.mean)


class Crashing(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value={}["missing"] if state.count else Undefined("no items"))


class Mutating(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.mean)
        state.count += 1


class Chance(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=random.random() if state.count else Undefined("no items"))


class Remembering(Honest):
    """Returns the number of calls of `needs`, which is shared by all instances."""

    asked: list[int] = []  # noqa: RUF012

    def needs(self) -> tuple[StateRequest, ...]:
        self.asked.append(0)
        return Honest.needs(self)

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=float(len(self.asked)))


class Opaque(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.mean, left_out={"items": {"a", "b"}})


class Silent(Honest):
    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=Undefined(" "))


@define
class SharedWeights(Weights):
    """Depends on the other metrics that share the state."""

    sizes: tuple[int, ...] = ()

    @property
    def mean(self) -> float:
        return float(len(self.sizes))


@frozen
class Sharing:
    parameters: Any
    size = 1

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(SharedWeights, union={"sizes": [self.size]}),)

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=state.mean)


class SharingMore(Sharing):
    size = 2


@define
class KeepingWeights(Weights):
    """Keeps arrays of uids without copying them."""

    kept: list[Any] = field(factory=list)

    def update(self, batch: Batch) -> None:
        Weights.update(self, batch)
        self.kept.append(batch.datums.uids)

    def merge(self, other: Any) -> None:
        Weights.merge(self, other)
        self.kept += other.kept

    def dump(self) -> dict[str, Any]:
        return {**Weights.dump(self), "kept": self.kept}

    def restore(self, content: dict[str, Any]) -> None:
        Weights.restore(self, content)
        self.kept = content["kept"]

    @property
    def mean(self) -> float:
        return float(sum(uid not in ("", 0) for uids in self.kept for uid in uids.tolist()))


class Keeping(Honest):
    state = KeepingWeights


@define
class CopyingWeights(KeepingWeights):
    """Keeps arrays of uids and copies them in `detach`."""

    def detach(self) -> None:
        self.kept = [uids.copy() for uids in self.kept]


class Copying(Honest):
    state = CopyingWeights


class Late(Honest):
    """Reads the state lazily."""

    def compute(self, state: Any) -> Iterator[Result]:
        yield Result(value=LazyValue(lambda: {"count": state.count}))


@define
class CopiedWeights(Weights):
    """Returns the complete state for each slice."""

    divides = True

    def select(self, positions: Any) -> Any:
        return self


class Copied(Honest):
    state = CopiedWeights


@define
class TakenWeights(Weights):
    """Returns the complete state in `within`."""

    def within(self, whole: Any) -> Any:
        return whole


class Taken(Honest):
    state = TakenWeights


def score_of_none(item: Any, parameters: Any, resources: Any) -> float:
    """Fails for items without a response."""
    return float(item.response.count("a") == 0)


def score_nan(item: Any, parameters: Any, resources: Any) -> float:
    return float("nan")


def score_out_of_range(item: Any, parameters: Any, resources: Any) -> float:
    return 2.0 if item.response == "Paris" else -1.0 if item.response else 0.5


NOT_CALLABLE = 3
