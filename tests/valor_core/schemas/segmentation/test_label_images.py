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


def test_values_of_legend_must_ascend():
    with pytest.raises(SchemaError, match="expected ascending pixel values without"):
        Legend([1, 1], [0, 1])


def test_legend_needs_code_and_crowd_flag_per_value():
    with pytest.raises(SchemaError, match="codes: expected 2 rows, got 1"):
        Legend([0, 1], [0])
    with pytest.raises(SchemaError, match="crowd: expected 2 rows, got 1"):
        Legend([0, 1], [0, 1], [True])


def test_legend_with_crowd_flags_has_instances():
    assert not Legend([0, 1], [0, 1]).has_instances
    assert Legend([0, 1], [0, 1], [False, False]).has_instances


def test_relabel_keeps_codes_of_background_and_ignored():
    legend = Legend.of({0: BACKGROUND, 4: 1, 9: IGNORED}).relabel(np.array([7, 5]))

    assert legend.codes.tolist() == [BACKGROUND, 5, IGNORED]


def test_shared_legend_is_relabelled_once():
    legend = Legend.of_labels(2)
    one = LabelImage([[1, 2]], legend)

    renamed = Layer([one, None], [None, one]).relabel(np.array([1, 0]))

    assert renamed.groundtruths[1] is None
    assert renamed.groundtruths[0].legend is renamed.predictions[1].legend
    assert renamed.groundtruths[0].legend.codes.tolist() == [BACKGROUND, 1, 0]
