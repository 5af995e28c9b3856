from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from attrs import define, frozen
from numpy.typing import NDArray
from valor_testing import ConformanceError, check_metric

from valor_core import Result
from valor_core.schemas.text import TextBatch
from valor_core.specs import MetricSpec, Range
from valor_core.states import DerivedState, ExactSum, ExactSums, StateRequest, counted


@define
class EveryKindOfCount(DerivedState):
    bins: int
    items: int = counted(int)
    total: ExactSum = counted(ExactSum)
    totals: ExactSums = counted(ExactSums)
    words: set[str] = counted(set)
    pairs: Counter[tuple[str, ...]] = counted(Counter)
    lengths: dict[str, ExactSum] = counted(dict)
    owners: dict[int, set[str]] = counted(dict)
    histogram: NDArray[np.int64] = counted(
        lambda state: np.zeros(state.bins, np.int64), takes_self=True
    )
    scores: list[NDArray[np.float64]] = counted(list)
    names: list[NDArray[np.str_]] = counted(list)

    def update(self, batch: TextBatch) -> None:
        uids = [str(uid) for uid in batch.datums.uids.tolist()]
        sizes = np.array([len(uid) / 10 for uid in uids])
        self.items += len(uids)
        self.total.add(sizes)
        self.totals.add(np.zeros(len(uids), np.int64), sizes)
        self.words.update(uids)
        for uid, size in zip(uids, sizes.tolist(), strict=True):
            self.pairs[uid[:1], uid[-1:]] += 1
            self.lengths.setdefault(uid[:1], ExactSum()).add([size])
            self.owners.setdefault(len(uid), set()).add(uid)
            self.histogram[len(uid) % self.bins] += 1
        self.scores.append(sizes)
        self.names.append(np.array(uids, np.str_))


@frozen
class Summary:
    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(EveryKindOfCount, {"bins": 3}),)

    def compute(self, state: EveryKindOfCount) -> Iterator[Result]:
        yield Result(
            value={
                "items": state.items,
                "total": [state.total.value, *state.totals.values.tolist()],
                "words": sorted(state.words),
                "pairs": [[*pair, count] for pair, count in sorted(state.pairs.items())],
                "lengths": {key: each.value for key, each in sorted(state.lengths.items())},
                "owners": [[key, sorted(each)] for key, each in sorted(state.owners.items())],
                "histogram": state.histogram,
                "scores": np.sort(np.concatenate([np.zeros(0), *state.scores])),
                "names": sorted(np.concatenate([np.zeros(0, "U1"), *state.names]).tolist()),
            }
        )


def test_derived_state_with_all_field_types_obeys_all_laws() -> None:
    check_metric(
        MetricSpec(
            name="mylab.Summary",
            task="text",
            summary="Every kind of count",
            implementation=f"{__name__}:Summary",
            higher_is_better=None,
            range=Range(),
        )
    )


@define
class Unwritten(DerivedState):
    items: int = counted(int)


@frozen
class Size:
    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(Unwritten),)

    def compute(self, state: Unwritten) -> Iterator[Result]:
        yield Result(value=state.items)


def test_kit_names_method_that_state_does_not_define() -> None:
    spec = MetricSpec(
        name="mylab.Size",
        task="text",
        summary="Number of items",
        implementation=f"{__name__}:Size",
        higher_is_better=None,
        range=Range(0),
    )

    with pytest.raises(
        ConformanceError, match=r"Unwritten: expected a definition of update\(batch\), found none"
    ):
        check_metric(spec)
