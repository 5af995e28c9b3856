"""Values kept with an object: when they are computed, and what pickles contain."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from attrs import field, frozen

from valor_core.states.memo import cached, forget, memoized


@frozen(slots=False)
class Rows:
    """Numbers, and a record of the values computed from them."""

    numbers: tuple[int, ...]
    computed: list[str] = field(factory=list, eq=False)

    @cached
    def total(self) -> int:
        self.computed.append("total")
        return sum(self.numbers)

    @memoized
    def power(self, exponent: int, *, negative: bool = False) -> list[int]:
        self.computed.append(f"power {exponent}")
        return [number**exponent * (-1 if negative else 1) for number in self.numbers]


@memoized
def largest(rows: Rows) -> int:
    """Return the largest number."""
    rows.computed.append("largest")
    return max(rows.numbers)


def test_values_are_computed_once_per_object_function_and_arguments() -> None:
    rows, others = Rows((1, 2)), Rows((1, 2))
    for _ in range(2):
        assert (rows.total, largest(rows), rows.power(2), rows.power(3)) == (3, 2, [1, 4], [1, 8])
        assert rows.power(2, negative=True) == [-1, -4]
    assert rows.power(2) is rows.power(2)
    assert rows.computed == ["total", "largest", "power 2", "power 3", "power 2"]
    assert others == rows
    assert not others.computed


def test_deep_copies_and_pickles_contain_no_results() -> None:
    rows = Rows((1, 2))
    largest(rows)
    for other in (copy.deepcopy(rows), pickle.loads(pickle.dumps(rows))):
        assert other == rows
        other.computed.clear()
        assert largest(other) == 2
        assert other.computed == ["largest"]


def test_forgotten_results_are_computed_again() -> None:
    rows = Rows((1, 2))
    largest(rows)
    forget(rows)
    forget(rows)
    largest(rows)
    assert rows.computed == ["largest", "largest"]


def test_threads_that_compute_at_the_same_time_get_the_same_object() -> None:
    barrier = Barrier(2)

    @memoized
    def made(rows: Rows) -> object:
        barrier.wait()
        return object()

    rows = Rows((1,))
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(made, [rows, rows])
    assert one is other


def test_cached_property_of_the_class_is_the_descriptor() -> None:
    assert isinstance(Rows.total, cached)
