from __future__ import annotations

import re
from typing import Any

import pytest
from valor_report.pages.figures import MOST_LABELS_DRAWN, drawn, numbers_drawn

from valor_core import Result

MATRIX = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
CURVE = {"cat": {"0.5": {"precision": 0.5, "recall": 1.0}, "0.9": {"precision": 1, "recall": 0.5}}}
BINS = {"bins": [{"confidence": 0.5, "accuracy": 0.25, "count": 4, "low": 0.0, "high": 1.0}]}


@pytest.mark.parametrize(
    ("value", "drawings", "name"),
    [
        (MATRIX, 1, "M: 2 rows by 2 columns"),
        (CURVE, 1, "M: precision by recall, 1 curve"),
        (BINS, 2, "M: accuracy by confidence, 1 bins"),
    ],
)
def test_each_structure_has_figure(value: Any, drawings: int, name: str) -> None:
    ((result, figure),) = drawn([Result(type="M", value=value)])

    assert result.value == value
    assert len(figure.drawings) == drawings
    assert f'aria-label="{name}"' in figure.drawings[0]


@pytest.mark.parametrize("value", [0.5, {"strange": "words"}, [1, 2]])
def test_other_values_have_no_figure(value: Any) -> None:
    assert drawn([Result(type="M", value=value)]) == []


def test_matrix_of_too_many_labels_has_no_figure() -> None:
    labels = [str(i) for i in range(MOST_LABELS_DRAWN + 1)]
    value = {row: dict.fromkeys(labels, 1) for row in labels}

    assert drawn([Result(type="M", value=value)]) == []


def test_bars_have_whiskers_of_intervals() -> None:
    details = {"confidence": {"interval": [0.25, 2.0], "method": "Student"}}
    results = [
        Result(type="F1", parameters={"label": "cat"}, value=1.0, details=details),
        Result(type="F1", parameters={"label": "dog"}, value=0.5),
    ]

    (figure,) = numbers_drawn(results)

    # The axis of 150 pixels ends at 2, so the interval spans 131.25 pixels.
    (drawing,) = figure.drawings
    (whisker,) = re.findall(r'class="whisker" d="M([0-9.]+) [0-9.]+H([0-9.]+)', drawing)
    assert float(whisker[1]) - float(whisker[0]) == pytest.approx(131.25, abs=0.2)
    assert "1.0000 ± 0.8750" in drawing
