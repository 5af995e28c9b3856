from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_report import scalars

from valor_core import Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results.results import Results

_WANDB = re.compile("[_a-zA-Z][_a-zA-Z0-9]*")
"""Names that W&B can filter by."""


def of_label(label: str, value: float = 0.5, **parameters: object) -> Result:
    return Result(type="AP", parameters={"label": label, **parameters}, value=value)


def keys(*results: Result) -> list[str]:
    return list(scalars(Results(results)))


def test_keys_of_labels_parameters_and_slices_are_readable() -> None:
    recall = Result(type="Recall", parameters={"average": "macro"}, value=0.5)
    counts = Result(type="Counts", parameters={"label": "a_b"}, value={"tp": 1, "fp": 2})

    assert keys(of_label("cat", iou_threshold=0.5), of_label("hot dog", iou_threshold=0.75)) == [
        "AP__cat__iou_threshold_0_5",
        "AP__hot_dog__iou_threshold_0_75",
    ]
    assert keys(recall, recall.in_slice({"ink": "light", "page": -1})) == [
        "Recall__macro",
        "Recall__ink_light_page_minus_1__macro",
    ]
    assert keys(counts) == ["Counts__a_b__tp", "Counts__a_b__fp"]


def test_labels_that_would_share_a_key_get_different_keys() -> None:
    found = keys(*map(of_label, ("a b", "a_b", "A.b", "c")))

    assert len({key.casefold() for key in found}) == 4
    assert all(re.fullmatch("AP__[aA]_b__[0-9a-f]{8}", key) for key in found[:3])
    assert found[3] == "AP__c"


def test_key_does_not_depend_on_order_of_results() -> None:
    one, other = of_label("a b", 0.25), of_label("a_b", 0.75)

    assert scalars(Results([one, other])) == scalars(Results([other, one]))


def test_key_of_a_long_label_fits_mlflow() -> None:
    found = scalars(Results([of_label("a" * 300), of_label("a" * 301)]), "val/")

    assert [len(key) for key in found] == [250, 250]


@given(st.lists(st.text(max_size=5), max_size=5, unique=True))
def test_every_label_has_a_key_that_wandb_filters_by(labels: list[str]) -> None:
    found = keys(*map(of_label, labels))

    assert len({key.casefold() for key in found}) == len(labels)
    assert all(_WANDB.fullmatch(key) for key in found)


def test_flat_file_has_defined_numbers_only(tmp_path: Path) -> None:
    report = Report(results=[of_label("cat"), Result(type="AUC", value=Undefined("no negatives"))])

    report.save(tmp_path / "metrics.json", flat=True)

    assert json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8")) == {"AP__cat": 0.5}


def test_flat_file_of_another_suffix_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"metrics.yaml: expected a name in .json for flat"):
        Report(results=[of_label("cat")]).save(tmp_path / "metrics.yaml", flat=True)
