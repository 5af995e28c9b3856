from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define

from valor_core import Result
from valor_core.errors import SchemaError
from valor_core.results import ratio
from valor_core.schemas import Label
from valor_core.states import DerivedState, State, StateRequest, counted


class Lengths(State):
    """Number of responses with at least the length of each threshold."""

    def __init__(self, thresholds: tuple[float, ...]) -> None:
        self.thresholds = thresholds
        self.reached = np.zeros(len(thresholds), np.int64)
        self.count = 0

    def update(self, batch: Any) -> None:
        lengths = np.array([len(response or "") for response in batch.responses], np.int64)
        self.reached += (lengths[:, None] >= np.array(self.thresholds)).sum(axis=0)
        self.count += len(lengths)

    def merge(self, other: Lengths) -> None:
        self.reached += other.reached
        self.count += other.count

    def dump(self) -> dict[str, Any]:
        return {"reached": self.reached, "count": self.count}

    def restore(self, content: dict[str, Any]) -> None:
        self.reached, self.count = content["reached"].copy(), content["count"]

    def share(self, threshold: float) -> Any:
        reached = int(self.reached[self.thresholds.index(threshold)])
        return ratio(reached, self.count, None, "no responses")


class LongShare:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Lengths, union={"thresholds": [self.parameters.threshold]}),)

    def compute(self, state: Lengths) -> Iterator[Result]:
        threshold = self.parameters.threshold
        parameters = {"threshold": threshold}
        if self.parameters.comment:
            parameters["comment"] = self.parameters.comment
        yield Result(parameters=parameters, value=state.share(threshold))


class LongShares:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Lengths, union={"thresholds": self.parameters.thresholds}),)

    def compute(self, state: Lengths) -> Iterator[Result]:
        for threshold in self.parameters.thresholds:
            yield Result(parameters={"threshold": threshold}, value=state.share(threshold))


class Crash:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Lengths, union={"thresholds": [1.0]}),)

    def compute(self, state: Lengths) -> Iterator[Result]:
        raise ZeroDivisionError("no luck")


class Odd(Crash):
    def compute(self, state: Lengths) -> Any:
        return [0.5]


class RefusingLengths(Lengths):
    def __init__(self) -> None:
        super().__init__((1.0,))

    def update(self, batch: Any) -> None:
        if "no" in batch.responses.tolist():
            raise SchemaError("response: expected anything but 'no'")
        super().update(batch)


class Refusing(Crash):
    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(RefusingLengths),)

    def compute(self, state: Lengths) -> Iterator[Result]:
        yield Result(value=state.count)


class StuckLengths(Lengths):
    def __init__(self) -> None:
        super().__init__((1.0,))
        self.stuck = lambda: None


class Stuck(Refusing):
    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(StuckLengths),)


@define
class Truths(DerivedState):
    counts: Counter[Label] = counted(Counter)

    def update(self, batch: Any) -> None:
        self.counts.update(batch.labels[code] for code in batch.truth_labels)


class TruthCount:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Truths),)

    def compute(self, state: Truths) -> Iterator[Result]:
        for label in sorted(state.counts):
            parameters = {"label_key": label.key, "label": label.value}
            yield Result(parameters=parameters, value=state.counts[label])
