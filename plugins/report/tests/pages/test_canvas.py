from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
from valor_report.pages.assets import SCRIPT
from valor_report.pages.canvas import canvas
from valor_report.tables.structures import matrix


def content(value: Any) -> dict[str, Any]:
    held = matrix(value)
    assert held is not None
    found = re.search(r"<script[^>]*>(.*?)</script>", canvas(held, "Counts"))
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_nonzero_cells_are_encoded_with_positions() -> None:
    read = content({"confusion_matrix": {"a": {"a": 3, "b": 0}, "b": {"a": 70_000, "b": 4}}})

    assert (read["rows"], read["columns"], read["type"]) == (["a", "b"], ["a", "b"], "Uint32Array")
    assert np.frombuffer(b64decode(read["places"]), "<u4").tolist() == [0, 2, 3]
    assert np.frombuffer(b64decode(read["numbers"]), "<u4").tolist() == [3, 70_000, 4]


def test_floats_and_large_integers_are_encoded_as_float64() -> None:
    for cell in (0.25, 2**40, -1):
        read = content({"a": {"x": cell}})

        assert read["type"] == "Float64Array"
        assert np.frombuffer(b64decode(read["numbers"]), "<f8").tolist() == [cell]


def test_labels_cannot_close_script_element() -> None:
    read = content({"</script><b>": {"x": 1}})

    assert read["rows"] == ["</script><b>"]


def test_canvas_of_1000_labels_is_small() -> None:
    names = [f"label {i}" for i in range(1000)]
    held = matrix({name: {name: 5} for name in names})

    assert held is not None
    assert len(canvas(held, "Counts")) < 60_000


def test_script_loads_no_external_resources() -> None:
    assert "http" not in SCRIPT
    assert "fetch" not in SCRIPT
