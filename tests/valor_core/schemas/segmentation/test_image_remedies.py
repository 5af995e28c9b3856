from __future__ import annotations

import numpy as np
import pytest

from valor_core.schemas.segmentation.pixels import MASKS, remedy_for

SCORES = np.random.default_rng(0).random((3, 4, 5))


def one_hot(image: np.ndarray, count: int) -> np.ndarray:
    return (image == np.arange(count)[:, None, None]).astype(np.uint8)


@pytest.mark.parametrize(
    ("array", "axis"),
    [(SCORES, -3), (np.moveaxis(SCORES, 0, -1), -1), (SCORES.astype(np.float16), -3)],
)
def test_class_axis_is_inferred_from_its_length(array, axis):
    assert remedy_for(array) == (
        f"Choose the label of each pixel: scores.argmax(axis={axis}); 0 is then background, unless "
        "it has a name: {0: …}."
    )
    assert array.argmax(axis).tolist() == SCORES.astype(array.dtype).argmax(0).tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_])
def test_masks_of_each_class_become_labels(dtype):
    image = np.array([[0, 1, 2, 2], [2, 1, 0, 0]])
    masks = one_hot(image, 3).astype(dtype)

    assert "masks.argmax(axis=-3);" in str(remedy_for(masks))
    assert masks.argmax(axis=-3).tolist() == image.tolist()
    assert "masks.argmax(axis=-1);" in str(remedy_for(np.moveaxis(masks, 0, -1)))


def test_masks_with_unlabelled_pixels_stay_masks():
    masks = one_hot(np.array([[0, 1, 2, 2], [2, 1, 0, 0]]), 3)

    for odd in (masks[1:], masks | masks[:1]):
        assert remedy_for(odd) == MASKS


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.ones((1, 4, 5), int), "Remove the axis of length 1: image.squeeze(axis=-3)."),
        (np.ones((4, 5, 1), np.uint8), "Remove the axis of length 1: image.squeeze(axis=-1)."),
        (
            np.full((1, 4, 5), 0.25),
            "Remove the axis of length 1: image.squeeze(axis=-3) >= 0.5.",
        ),
        (np.array([[1.0, 2.0]]), "Convert them: image.astype(int)."),
    ],
)
def test_image_of_another_shape_or_type_suggests_conversion(array, expected):
    assert remedy_for(array) == expected


@pytest.mark.parametrize("array", [np.array([[0.25]]), np.array([[np.nan, 1]]), [[np.inf]]])
def test_scores_of_one_class_suggest_threshold(array):
    assert str(remedy_for(np.asarray(array))).endswith("scores >= 0.5 for a single label.")


def test_color_image_suggests_palette():
    assert "palette" in str(remedy_for(np.full((4, 5, 3), 128, np.uint8)))


@pytest.mark.parametrize(
    "array",
    [np.ones(3), np.array([["a"]]), np.full((2, 4, 5), 7), np.zeros((0, 4, 5)), np.array(1.5)],
)
def test_other_arrays_have_no_remedy(array):
    assert remedy_for(array) is None
