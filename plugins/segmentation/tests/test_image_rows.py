"""Rows of images in reports: pixels, and the number of each image.

``b`` of `IMAGES` has the labels cat (1) and dog (2):

========== ===== ===== ===== ===== =====
true       cat   cat   dog   dog   none
predicted  cat   dog   dog   dog   dog
========== ===== ===== ===== ===== =====

So cat has 1 true positive and 1 false negative, dog 2 true positives and 2 false positives. Over
both labels these are 3, 2 and 1 pixels: precision 3/5, recall 3/4, F1 6/9, IoU 3/6. The mean IoU is
(1/2 + 2/4) / 2, and 3 of 5 pixels are right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Evaluator, Report, evaluate
from valor_core.results import Undefined
from valor_core.schemas import Label
from valor_core.schemas.segmentation import Segmentation

LABELS = ["cat", "dog"]
IMAGES = [
    Segmentation("b", [[1, 1, 2, 2, 0]], [[1, 2, 2, 2, 2]], labels=LABELS),
    Segmentation("a", [[1, 1]], [[1, 1]], labels=LABELS),
    Segmentation("empty", [[0, 0]], [[0, 0]], labels=LABELS),
    Segmentation("false", [[0, 0]], [[0, 1]], labels=LABELS),
]


def report(*metrics: Any, items: Any = IMAGES) -> Report:
    return evaluate(items, metrics, "segmentation", items=True)


def values(metric: Any) -> dict[Any, Any]:
    (table,) = report(metric).items
    return {row.uid: row.value for row in table.rows}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("Precision", {"a": 1, "b": 3 / 5, "empty": 1, "false": 0}),
        ("Recall", {"a": 1, "b": 3 / 4, "empty": 1, "false": 1}),
        ("F1", {"a": 1, "b": 6 / 9, "empty": 1, "false": 0}),
        ("IOU", {"a": 1, "b": 3 / 6, "empty": 1, "false": 0}),
        ("Accuracy", {"a": 1, "b": 3 / 5, "empty": 1, "false": 1 / 2}),
        ({"name": "Accuracy", "background": False}, {"a": 1, "b": 3 / 4, "empty": 1, "false": 1}),
    ],
)
def test_report_lists_the_number_of_each_image(metric: Any, expected: Any) -> None:
    assert values(metric) == expected


def test_mean_iou_of_an_image_is_over_its_labels() -> None:
    none = Undefined("no true pixels of a label in the image")

    assert values("mIOU") == {"a": 1, "b": (1 / 2 + 2 / 4) / 2, "empty": none, "false": none}
    wide = {"name": "mIOU", "include_prediction_only_labels": True}
    assert values(wide) == {"a": 1, "b": 1 / 2, "empty": none, "false": 0}
    # Background of b: 0 of 1 pixel. Of the others, it is all pixels.
    with_background = values({"name": "mIOU", "background": True})
    assert with_background == {
        "a": 1,
        "b": pytest.approx((1 / 2 + 2 / 4 + 0) / 3),
        "empty": 1,
        "false": 1 / 2,
    }


def test_mean_iou_is_weighted_by_true_pixels() -> None:
    # Of 3 true cats and 1 true dog, 3 and 0 are found: IoU 3/4 and 0.
    item = Segmentation("c", [[1, 1, 1, 2]], [[1, 1, 1, 1]], labels=LABELS)
    (table,) = report({"name": "mIOU", "average": "weighted"}, items=[item]).items

    assert table.rows[0].value == pytest.approx((3 * 3 / 4 + 1 * 0) / 4)


@pytest.mark.parametrize("metric", ["IOU", "mIOU", "Accuracy", "Counts", "F1"])
def test_details_name_labels_and_largest_confusions(metric: str) -> None:
    found = {row.uid: row.details for row in report(metric).items[0].rows}
    names = ("truth", "prediction", "wrong")

    assert {uid: tuple(details[name] for name in names) for uid, details in found.items()} == {
        "a": ({"cat": 1.0}, {"cat": 1.0}, ""),
        "b": (
            {"cat": 0.4, "dog": 0.4},
            {"cat": 0.2, "dog": 0.8},
            "20 % background as dog, 20 % cat as dog",
        ),
        "empty": ({}, {}, ""),
        "false": ({}, {"cat": 0.5}, "50 % background as cat"),
    }


def test_three_largest_confusions_of_an_image_are_named() -> None:
    true, predicted = np.zeros((2, 100, 10), int)
    true[:60], predicted[:60] = 1, 2
    true[60], predicted[60] = 2, 1
    predicted[61, :2] = 1
    predicted[62, :1] = 2
    item = Segmentation("x", true, predicted, labels=LABELS)
    (row,) = report("IOU", items=[item]).items[0].rows

    assert row.details["wrong"] == "60 % cat as dog, 1 % dog as cat, 0.2 % background as cat"
    assert row.details["truth"] == {"cat": 0.6, "dog": 0.01}


def test_rows_do_not_depend_on_order_split_and_list_of_labels() -> None:
    random = np.random.default_rng(1)
    pixels = random.integers(0, 4, (9, 2, 5, 4))
    lists = (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"])

    def item(number: int) -> Segmentation:
        names = lists[number % 3]
        codes = np.array([0, *(1 + names.index(name) for name in "abc")])
        return Segmentation(f"i{number}", *codes[pixels[number]], labels=names)

    def found(*parts: Any) -> Any:
        total = Evaluator(["IOU"], "segmentation", items=True)
        for part in parts:
            one = Evaluator(["IOU"], "segmentation", items=True)
            one.update(list(map(item, part)))
            total.merge(one)
        return total.compute().items[0].rows

    expected = found(range(9))
    assert found(range(8, -1, -1)) == expected
    assert found([5, 3, 8], [0], [1, 2, 4, 6, 7]) == expected


def test_pixels_of_images_add_up_to_those_of_labels() -> None:
    random = np.random.default_rng(0)
    items = [
        Segmentation(f"i{n}", *random.integers(0, 4, (2, 5, 7)), labels=["a", "b", "c"])
        for n in range(12)
    ]
    found = report("Counts", items=items)

    for name, column in found.items[0].rows.columns().items():
        assert column.values.sum() == sum(one.value[name] for one in found)


def test_images_survive_a_saved_state(tmp_path: Path) -> None:
    evaluator = Evaluator(["IOU"], "segmentation", items=True)
    evaluator.update(IMAGES)
    evaluator.save(tmp_path / "counts.valor")
    loaded = Evaluator.load(tmp_path / "counts.valor", items=True)

    assert loaded.compute().items[0].rows == evaluator.compute().items[0].rows


def test_state_without_images_has_results_but_no_rows(tmp_path: Path) -> None:
    evaluator = Evaluator(["IOU"], "segmentation")
    evaluator.update(IMAGES[:2])
    evaluator.save(tmp_path / "counts.valor")
    loaded = Evaluator.load(tmp_path / "counts.valor", items=True)
    loaded.update(IMAGES[2:])

    found = loaded.compute()
    assert found.items == ()
    assert found.results == report("IOU").results


def test_images_with_two_label_keys_have_no_rows() -> None:
    labels = [Label("animal", "cat"), Label("colour", "red")]
    items = [
        Segmentation(uid, [[1]], [[1]], labels=[label])
        for uid, label in zip("ab", labels, strict=True)
    ]

    assert report("IOU", items=items).items == ()
