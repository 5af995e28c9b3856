from __future__ import annotations

from valor_classification.readers.arrays import from_arrays


def test_a_column_for_a_label_is_a_prediction_of_it() -> None:
    batch = from_arrays([2], [[0.5, 0.5, 0.0]])

    assert batch.label_sides.meet
