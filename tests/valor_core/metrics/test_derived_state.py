from __future__ import annotations

import pickle
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from attrs import define
from numpy.typing import NDArray

from valor_core.errors import ManifestError, StateError
from valor_core.schemas.text.batch import TextBatch
from valor_core.states import DerivedState, ExactSum, ExactSums, counted

Codes = NDArray[np.int64]


@define
class Everything(DerivedState):
    bins: int
    items: int = counted(int)
    total: ExactSum = counted(ExactSum)
    totals: ExactSums = counted(ExactSums)
    words: set[str] = counted(set)
    pairs: Counter[tuple[str, ...]] = counted(Counter)
    lengths: dict[str, ExactSum] = counted(dict)
    owners: dict[int, set[str]] = counted(dict)
    histogram: Codes = counted(lambda state: np.zeros(state.bins, np.int64), takes_self=True)
    scores: list[NDArray[np.float64]] = counted(list)
    names: list[NDArray[np.str_]] = counted(list)

    def update(self, batch: TextBatch) -> None:
        uids = [str(uid) for uid in batch.datums.uids.tolist()]
        sizes = np.array([len(uid) / 10 for uid in uids])
        self.items += len(uids)
        self.total.add(sizes)
        self.totals.add(np.arange(len(uids)) % 1, sizes)
        self.words.update(uids)
        for place, (uid, size) in enumerate(zip(uids, sizes.tolist(), strict=True)):
            self.pairs[uid[:1], uid[-1:]] += 1
            self.lengths.setdefault(uid[:1], ExactSum()).add([size])
            self.owners.setdefault(len(uid), set()).add(uid)
            self.histogram[len(uids[place]) % self.bins] += 1
        self.scores.append(sizes)
        self.names.append(np.array(uids, np.str_))


def filled() -> Everything:
    state = Everything(2)
    state.items, state.words, state.pairs = 2, {"b", "a"}, Counter({("a", "b"): 3})
    state.total.add([0.1])
    state.lengths["a"] = ExactSum(5)
    state.owners[1] = {"a"}
    state.histogram = np.array([1, 2])
    state.scores.append(np.array([0.5]))
    state.names.append(np.array(["a", "bc"]))
    return state


def test_settings_are_neither_merged_nor_saved() -> None:
    assert "bins" not in filled().dump()
    with pytest.raises(TypeError, match="items"):
        Everything(2, items=1)


def test_merged_state_shares_nothing_with_other() -> None:
    state, other = Everything(2), filled()
    before = pickle.dumps(other)
    state.merge(other)
    state.merge(other)
    state.words.add("z")
    state.owners[1].add("z")
    state.lengths["a"].add([1.0])
    state.histogram[0] = 9

    assert pickle.dumps(other) == before
    assert (state.items, state.pairs) == (4, Counter({("a", "b"): 6}))


def test_restored_state_equals_dumped_state() -> None:
    state = Everything(2)
    state.restore(filled().dump())

    assert state.dump().keys() == filled().dump().keys()
    assert str(state.dump()) == str(filled().dump())


@pytest.mark.parametrize(
    ("field", "found", "message"),
    [
        ("items", 1.5, "items: expected a whole number, found 1.5"),
        ("items", None, "items: expected a whole number, found None"),
        ("total", "zero", "total: exact sum: expected text such as '0x3p-1', got 'zero'"),
        ("words", {"a": 1}, "words: expected set[str], found {'a': 1}"),
        ("words", ["a", 1], "words: expected str, found 1"),
        ("words", [["a"]], "words: expected str, found ['a']"),
        ("pairs", {"ab": 1}, "pairs: expected tuple[str, ...], found 'ab'"),
        ("pairs", {("a", "b"): "x"}, "pairs[('a', 'b')]: expected a whole number, found 'x'"),
        ("lengths", {"a": 1}, "lengths['a']: expected ExactSum, found 1"),
        ("lengths", None, "expected dict[str, valor_core.states.sums.ExactSum], found None"),
        ("histogram", np.zeros(3, np.int64), "histogram: expected the shape 2, found 3"),
        ("histogram", [1, 2], "histogram: expected an array, found [1, 2]"),
        ("scores", np.zeros(3, np.int64), "scores: expected an array of float64, found int64"),
        ("names", np.zeros(3), "names: expected an array of text, found float64"),
        ("names", [], "names: expected list[numpy.ndarray[tuple[typing.Any, ...],"),
    ],
)
def test_damaged_field_is_named(field: str, found: Any, message: str) -> None:
    content = filled().dump() | {field: found}

    with pytest.raises(StateError, match=re.escape(message)):
        Everything(2).restore(content)


@pytest.mark.parametrize("field", filled().dump())
def test_missing_field_is_named(field: str) -> None:
    content = {name: value for name, value in filled().dump().items() if name != field}

    with pytest.raises(StateError, match="found None"):
        Everything(2).restore(content)


def test_float_sum_is_rejected_as_order_dependent() -> None:
    @define
    class Plain(DerivedState):
        total: float = counted(float)

    with pytest.raises(
        ManifestError, match=r"total: expected a field that DerivedState adds up, got 0\.0"
    ):
        Plain().merge(Plain())
