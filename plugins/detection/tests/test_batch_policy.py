from __future__ import annotations

import numpy as np
import pytest
from valor_detection.geometry.validity import batch_of

from valor_core import Label
from valor_core.errors import ParameterError, SchemaError
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Mask

BOX = Box(0, 0, 2, 1)


DOG, CAT = Label("class", "dog"), Label("class", "cat")


NOTHING = Mask.of(np.zeros((10, 20)))


def test_skipped_objects_do_not_shift_positions() -> None:
    objects = [TrueObject(["dog", ("color", "red")], NOTHING), TrueObject("cat", BOX, area=7)]
    batch = batch_of([Detection("a", objects)], "skip")
    assert batch.labels == (CAT,)
    assert batch.groundtruths.annotations.tolist() == [1]
    assert batch.groundtruths.areas.tolist() == [7]
    assert batch.left_out == {"groundtruths left out: empty": 1}


def test_unknown_policy_lists_the_four_policies() -> None:
    with pytest.raises(
        ParameterError, match="expected one of error, repair, skip, accept, got 'ignore'"
    ):
        batch_of([], "ignore")  # type: ignore[arg-type]


def test_error_names_source_of_object() -> None:
    item = Detection("a", [], [PredictedObject({"dog": 0.5}, NOTHING)])
    with pytest.raises(
        SchemaError, match="expected a shape with at least three corners, or a pixel, got a mask of"
    ):
        batch_of([item], place=lambda side, i, j: f"{'ab'[i]}.xml, object {j} of {side}")
