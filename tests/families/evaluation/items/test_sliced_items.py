"""Values of sliced metadata in the rows of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from valor_core import Evaluator, Text, evaluate
from valor_core.schemas.classification import Classification
from valor_core.schemas.detection import Detection
from valor_core.schemas.segmentation import Segmentation

SITES = ["north", "south", None, "north"]


def about(number: int) -> dict[str, Any]:
    return {"site": SITES[number % 4], "day": number % 2, "note": f"n{number}"}


ITEMS = {
    "Accuracy": [Classification(f"i{i}", "cat", {"cat": 1.0}, metadata=about(i)) for i in range(9)],
    "detection.F1": [Detection(f"i{i}", [], [], metadata=about(i)) for i in range(9)],
    "segmentation.IOU": [
        Segmentation(f"i{i}", [[1]], [[1]], labels=["cat"], metadata=about(i)) for i in range(9)
    ],
    "text.ExactMatch": [
        Text(f"i{i}", response="a", references="a", metadata=about(i)) for i in range(9)
    ],
    "text.CorpusBLEU": [
        Text(f"i{i}", response="a", references="a", metadata=about(i)) for i in range(9)
    ],
}
SLICES = ["site", ["site", "day"]]
EXPECTED = {f"i{i}": {"site": SITES[i % 4], "day": i % 2} for i in range(9)}


def slices_of(report: Any) -> dict[Any, Any]:
    (table,) = report.items
    return {row.uid: row.details["slices"] for row in table.rows}


@pytest.mark.parametrize("metric", ITEMS)
def test_items_have_the_values_of_sliced_fields(metric: str) -> None:
    found = evaluate(ITEMS[metric], [metric], slices=SLICES, items=True)

    assert slices_of(found) == EXPECTED
    assert list(slices_of(found)) == sorted(EXPECTED)
    assert "slices" not in evaluate(ITEMS[metric], [metric], items=True).items[0].rows[0].details


@pytest.mark.parametrize("metric", ITEMS)
def test_values_survive_merges_and_saved_states(metric: str, tmp_path: Path) -> None:
    def counted(items: Any) -> Evaluator:
        evaluator = Evaluator([metric], slices=SLICES, items=True)
        evaluator.update(items)
        return evaluator

    total = counted(ITEMS[metric][5:])
    counted(ITEMS[metric][:5]).save(tmp_path / "half.valor")
    total.merge(Evaluator.load(tmp_path / "half.valor", items=True))

    assert slices_of(total.compute()) == EXPECTED
    assert total.compute().items == counted(ITEMS[metric]).compute().items


def test_items_without_uids_are_numbered() -> None:
    table = {"y_true": ["a", "b", "a"], "y_pred": ["a", "a", "a"], "site": ["n", "s", "n"]}
    found = evaluate(table, ["Accuracy"], slices=["site"], items=True, confidence=0.9)

    assert list(slices_of(found).values()) == [{"site": site} for site in "nsn"]
