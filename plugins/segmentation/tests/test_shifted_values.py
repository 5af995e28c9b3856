"""A report warns where predicted values are those of the ground truth plus or minus 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays

from valor_core import Evaluator, evaluate
from valor_core.schemas.segmentation import SegmentationBatch

TRUE = np.kron(np.random.default_rng(0).integers(0, 5, (6, 6)), np.ones((4, 4), int))
LABELS = ["road", "car", "bus", "sky", "tree"]
ABOVE = "1 above the true one, as with reduce_zero_label. Subtract 1 from the values of the pred"
BELOW = "1 below the true one, as with reduce_zero_label. Add 1 to the values of the predictions"


def batch(true: Any, predicted: Any, labels: Any = LABELS) -> SegmentationBatch:
    return from_arrays([true], [predicted], labels=labels)


def warnings_of(data: SegmentationBatch) -> str:
    return " ".join(map(str, evaluate(data, ["mIOU", "ConfusionMatrix"]).warnings))


NOISY = np.where(np.arange(TRUE.size).reshape(TRUE.shape) % 20, TRUE + 1, 2)


@pytest.mark.parametrize(
    ("true", "predicted", "said"),
    [
        (TRUE, TRUE + 1, ABOVE),
        (TRUE, NOISY, ABOVE),
        (TRUE, np.maximum(TRUE - 1, 0), BELOW),
        (TRUE + 1, TRUE, BELOW),
        (np.minimum(TRUE, 2), np.maximum(np.minimum(TRUE, 2) - 1, 0), BELOW),
    ],
    ids=["plus 1", "plus 1 with noise", "minus 1, 0 stays", "truth plus 1", "two labels"],
)
def test_predicted_values_shifted_by_1_are_in_the_warnings(
    true: Any, predicted: Any, said: str
) -> None:
    assert said in warnings_of(batch(true, predicted))


@pytest.mark.parametrize(
    "predicted", [TRUE + 1, np.maximum(TRUE - 1, 0)], ids=["plus 1", "minus 1"]
)
def test_shift_of_images_without_names_of_labels_is_in_the_warnings(predicted: Any) -> None:
    (warning,) = evaluate([TRUE], [predicted], ["IOU"], "segmentation").warnings
    assert (ABOVE if predicted.max() == 5 else BELOW) in str(warning)


def test_label_without_a_neighboring_value_has_no_shift() -> None:
    true, predicted = np.full((4, 4), 7), np.zeros((4, 4), int)
    report = evaluate(from_arrays([true], [predicted], labels={7: "7"}), ["IOU"])
    assert report["IOU"].value == 0
    assert "reduce_zero_label" not in " ".join(map(str, report.warnings))


def test_shift_is_in_the_warnings_of_a_merged_and_a_saved_state(tmp_path: Any) -> None:
    parts = []
    for rows in (TRUE[:8], TRUE[8:]):
        parts.append(Evaluator(["IOU"], "segmentation"))
        parts[-1].update(batch(rows, rows + 1))
    parts[0].merge(parts[1])
    parts[0].save(tmp_path / "state.npz")
    other = Evaluator(["IOU"], "segmentation")
    other.resume(tmp_path / "state.npz")
    expected = evaluate(batch(TRUE, TRUE + 1), ["IOU"]).warnings
    assert [one.compute().warnings for one in (parts[0], other)] == [expected] * 2


@pytest.mark.parametrize(
    ("true", "predicted", "labels"),
    [
        (TRUE, TRUE, LABELS),
        (TRUE, TRUE * 0, LABELS),
        (TRUE, TRUE * 0 + 1, LABELS),
        (TRUE, (TRUE + 2) % 6, LABELS),
        (TRUE, np.random.default_rng(1).integers(0, 5, TRUE.shape), LABELS),
        (np.minimum(TRUE, 1), 1 - np.minimum(TRUE, 1), ["road"]),
        (TRUE * 0, TRUE * 0 + 1, ["road"]),
        (
            TRUE * 10,
            np.minimum(TRUE + 1, 4) * 10,
            {0: "0", **{n: str(n) for n in (10, 20, 30, 40)}},
        ),
    ],
    ids=["right", "nothing", "constant", "shift of 2", "chance", "inverted", "one", "tens"],
)
def test_poor_predictions_are_not_reported_as_shifted(
    true: Any, predicted: Any, labels: Any
) -> None:
    assert warnings_of(batch(true, predicted, labels)) == ""


@pytest.mark.parametrize("is_true", [True, False])
def test_masks_of_0_and_255_compared_with_0_and_1_raise_warnings(is_true: bool) -> None:
    mask = np.minimum(TRUE, 1)
    sides = (mask * 255, mask) if is_true else (mask, mask * 255)

    (warning,) = evaluate([sides[0]], [sides[1]], ["IOU"], "segmentation").warnings

    true, predicted = ("255", "1") if is_true else ("1", "255")
    assert str(warning) == (
        f"the pixels of the true label '{true}' are predicted as '{predicted}', which is no true "
        "label; "
        f'if they are the same, set label_map: {{"{predicted}": "{true}"}}'
    )
    renamed = evaluate(
        [sides[0]], [sides[1]], ["mIOU"], "segmentation", label_map={predicted: true}
    )
    assert (renamed["mIOU"].value, renamed.warnings) == (1, ())
