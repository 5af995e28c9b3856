import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from valor_intervals.hashing import hashes, mixed

MASK = 2**64 - 1


def splitmix(value: int) -> int:
    """Compute the finalizer with Python's integers."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


@given(st.lists(st.integers(0, MASK), min_size=1))
def test_mixing_equals_the_published_function(values: list[int]) -> None:
    assert mixed(np.array(values, np.uint64)).tolist() == list(map(splitmix, values))


@given(st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1), min_size=1))
def test_hash_of_text_does_not_depend_on_the_batch(texts: list[str]) -> None:
    together = hashes(np.array(texts, dtype=np.str_), 3).tolist()

    assert together == [int(hashes(np.array([text]), 3)[0]) for text in texts]


def test_groups_have_similar_sizes() -> None:
    # The variance of the sizes of 100 groups of 10,000 items is 99 for a random division.
    for uids in (np.arange(10_000), np.array([f"image_{i:06}.jpg" for i in range(10_000)])):
        groups = (hashes(uids, 0) % np.uint64(100)).astype(np.int64)
        sizes = np.bincount(groups, minlength=100)
        assert 60 < sizes.var() < 150


def test_seeds_give_different_groups() -> None:
    uids = np.arange(1000)

    assert (hashes(uids, 0) % np.uint64(100) != hashes(uids, 1) % np.uint64(100)).mean() > 0.9
