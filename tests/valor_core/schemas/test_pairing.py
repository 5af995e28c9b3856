from __future__ import annotations

import numpy as np
import pytest

from valor_core.schemas.label import Label
from valor_core.schemas.pairing import LabelSides

DOG, CAT, COW, BEE = (Label("class", name) for name in ("dog", "cat", "cow", "bee"))


def sides(true: set[Label], predicted: set[Label]) -> LabelSides:
    return LabelSides(true, predicted)


def test_label_far_back_is_found() -> None:
    # the labels of the first hundred entries differ
    true, predicted = np.array([0] * 100 + [2]), np.array([1] * 100 + [2])

    found = LabelSides.of([DOG, CAT, COW], true, predicted)

    assert found == sides({DOG, COW}, {CAT, COW})


def test_label_after_thousands_of_others_is_found() -> None:
    true, predicted = np.array([0] * 5000 + [2]), np.array([1] * 5000)

    assert LabelSides.of([DOG, CAT, COW], true, predicted) == sides({DOG, COW}, {CAT})


def test_batch_of_labels_on_both_sides_adds_nothing() -> None:
    found = sides({DOG, CAT}, {CAT, DOG, BEE})

    assert found.covers((CAT, DOG))
    assert found.covers((CAT, DOG))
    assert not found.covers((CAT, BEE))
    assert not found.covers((CAT, COW))


def test_label_sides_are_merged_over_batches() -> None:
    found = sides({DOG}, {CAT})
    assert not found.meet

    found.join(sides({CAT}, {BEE}))

    assert found == sides({DOG, CAT}, {CAT, BEE})
    assert found.warning is None


@pytest.mark.parametrize(("true", "predicted"), [(set(), {DOG}), ({DOG}, set()), (set(), set())])
def test_single_side_has_no_warning(true: set[Label], predicted: set[Label]) -> None:
    assert sides(true, predicted).warning is None


def test_warning_names_three_labels_per_side() -> None:
    assert sides({DOG, CAT, COW, BEE}, {Label("class", "canine")}).warning == (
        "no label has both ground truths and predictions (true: 'bee', 'cat', 'cow' "
        "(and 1 more); predicted: 'canine'); check their spelling"
    )
