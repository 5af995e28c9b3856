from __future__ import annotations

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
)


def test_values_of_a_legend_ascend():
    with pytest.raises(SchemaError, match="expected ascending pixel values without"):
        Legend([1, 1], [0, 1])


def test_a_legend_has_a_code_and_a_crowd_flag_for_each_value():
    with pytest.raises(SchemaError, match="codes: expected 2 rows, got 1"):
        Legend([0, 1], [0])
    with pytest.raises(SchemaError, match="crowd: expected 2 rows, got 1"):
        Legend([0, 1], [0, 1], [True])


def test_a_legend_has_instances_once_it_says_which_are_crowds():
    assert not Legend([0, 1], [0, 1]).has_instances
    assert Legend([0, 1], [0, 1], [False, False]).has_instances


def test_background_and_ignored_values_keep_their_codes_under_other_labels():
    legend = Legend.of({0: BACKGROUND, 4: 1, 9: IGNORED}).relabel(np.array([7, 5]))

    assert legend.codes.tolist() == [BACKGROUND, 5, IGNORED]


def test_a_legend_that_maps_share_is_renamed_once():
    legend = Legend.of_labels(2)
    one = LabelImage([[1, 2]], legend)

    renamed = Layer([one, None], [None, one]).relabel(np.array([1, 0]))

    assert renamed.groundtruths[1] is None
    assert renamed.groundtruths[0].legend is renamed.predictions[1].legend
    assert renamed.groundtruths[0].legend.codes.tolist() == [BACKGROUND, 1, 0]
