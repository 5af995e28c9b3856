from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
from valor_report.pages.assets import SCRIPT
from valor_report.pages.page import html
from valor_report.plots.matrix_canvas import MatrixCanvas
from valor_report.tables.structures import matrix

from valor_core import Report, Result


def content(value: Any) -> dict[str, Any]:
    held = matrix(value)
    assert held is not None
    return MatrixCanvas.of(held, "Counts").content


def test_nonzero_cells_are_encoded_with_positions() -> None:
    read = content({"confusion_matrix": {"a": {"a": 3, "b": 0}, "b": {"a": 70_000, "b": 4}}})

    assert (read["rows"], read["columns"], read["type"]) == (("a", "b"), ("a", "b"), "Uint32Array")
    assert np.frombuffer(b64decode(read["places"]), "<u4").tolist() == [0, 2, 3]
    assert np.frombuffer(b64decode(read["numbers"]), "<u4").tolist() == [3, 70_000, 4]


def test_floats_and_large_integers_are_encoded_as_float64() -> None:
    for cell in (0.25, 2**40, -1):
        read = content({"a": {"x": cell}})

        assert read["type"] == "Float64Array"
        assert np.frombuffer(b64decode(read["numbers"]), "<f8").tolist() == [cell]


def read_from_page(names: list[str]) -> tuple[dict[str, Any], str]:
    """Content of the canvas of a page with a matrix of labels, and its text."""
    value = {name: {name: 5} for name in names}
    page = html(Report(results=[Result(type="Counts", value=value)]))
    found = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1]), found[1]


def test_labels_cannot_close_script_element() -> None:
    names = ["</script><b>", *(f"label {i}" for i in range(100))]

    read, _ = read_from_page(names)

    assert read["rows"] == names


def test_canvas_of_1000_labels_is_small() -> None:
    _, text = read_from_page([f"猫 {i}" for i in range(1000)])

    assert len(text) < 60_000
    assert "猫 999" in text


def test_script_loads_no_external_resources() -> None:
    assert "http" not in SCRIPT
    assert "fetch" not in SCRIPT
