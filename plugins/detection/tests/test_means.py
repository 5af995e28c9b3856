from __future__ import annotations

import numpy as np
import pytest
from valor_detection.matching.protocols import COCO, RANKED, VALOR, Protocol
from valor_detection.metrics.averages import mean


def test_mean_is_exact_except_under_coco() -> None:
    values = np.array([1e16, 1.0, -1e16, 1.0])

    assert mean(values, VALOR) == 0.5
    assert mean(values, COCO) == float(np.mean(values))


@pytest.mark.parametrize("protocol", [COCO, RANKED, VALOR], ids=lambda one: one.name)
def test_mean_does_not_depend_on_memory_layout(protocol: Protocol) -> None:
    values = np.random.default_rng(0).random((10, 101, 7))
    views = (values, np.asfortranarray(values), np.ascontiguousarray(values.T).T)

    assert len({mean(view, protocol) for view in views}) == 1


def test_mean_of_no_values_is_none() -> None:
    assert mean(np.empty((10, 101, 0)), COCO) is None
