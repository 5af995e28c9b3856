from __future__ import annotations

import numpy as np
import pytest

from valor_core.schemas.classification.batch import Classification
from valor_core.schemas.columns import as_score, widen_as_printed
from valor_core.schemas.detection import PredictedObject
from valor_core.schemas.geometry.geometry import Box


def samples(dtype: type) -> np.ndarray:
    rng = np.random.default_rng(0)
    bits = {np.float16: np.uint16, np.float32: np.uint32, np.float64: np.uint64}[dtype]
    drawn = [
        rng.random(2000),
        rng.integers(0, 10_000, 2000) / 10_000,
        10.0 ** rng.uniform(-20, 9, 2000),
        2.0 ** np.arange(-40, 40),
        [0.0, -0.0, 1.0, -0.35],
    ]
    with np.errstate(over="ignore"):
        usual = np.concatenate(drawn).astype(dtype)
    anything = rng.integers(0, np.iinfo(bits).max, 2000, dtype=bits).view(dtype)
    both = np.concatenate([usual, anything])
    return both[np.isfinite(both)]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_are_widened_to_printed_decimals(dtype: type) -> None:
    values = samples(dtype)
    found = widen_as_printed(values)

    assert found.dtype == np.float64
    assert found.tolist() == [float(str(value)) for value in values]
    assert np.array_equal(found.astype(dtype), values)


def test_widening_preserves_order_and_equality() -> None:
    values = np.unique(samples(np.float32))

    assert (np.diff(widen_as_printed(values)) > 0).all()


def test_non_finite_values_are_unchanged() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 0.35], np.float32)

    assert np.array_equal(widen_as_printed(values), [np.nan, np.inf, -np.inf, 0.35], equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, float])
def test_score_of_item_is_printed_decimal(dtype: type) -> None:
    score = dtype(0.35)

    assert as_score(score) == 0.35
    assert PredictedObject({"dog": score}, Box(0, 0, 1, 1)).labels[0][1] == 0.35
    assert Classification("a", "dog", {"dog": score}).predictions[0][1] == 0.35
