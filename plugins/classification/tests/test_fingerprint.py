from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core.readers import fingerprint
from valor_core.schemas.classification import ClassificationBatch

TRUTHS, SCORES = [0, 1], [[0.75, 0.25], [0.5, 0.5]]


def batch(truths: Any = TRUTHS, scores: Any = SCORES, **options: Any) -> ClassificationBatch:
    return from_arrays(np.array(truths), np.array(scores), **options)


def test_equal_batches_have_one_fingerprint() -> None:
    assert fingerprint(batch()) == fingerprint(batch())
    assert fingerprint(batch()) == fingerprint(batch(np.array(TRUTHS, np.int32)))


@pytest.mark.parametrize(
    "other",
    [
        batch([1, 0]),
        batch(scores=[[0.75, 0.25], [0.5, 0.25]]),
        batch(scores=np.array(SCORES, np.float32)),
        batch(labels=["cat", "dog"]),
        batch(uids=["a", "b"]),
        batch(metadata={"weather": ["sun", None]}),
        batch([0], [[0.75, 0.25]]),
    ],
)
def test_other_content_has_another(other: ClassificationBatch) -> None:
    assert fingerprint(other) != fingerprint(batch())
