"""Matrices of many labels on a canvas, which a script of the page draws from encoded cells."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape

from valor_report.tables.structures import Matrix


def canvas(held: Matrix, name: str) -> str:
    """HTML of a matrix on a canvas, shaded by the share of the row.

    Parameters
    ----------
    held : Matrix
        The matrix.
    name : str
        Accessible name of the drawing.

    Examples
    --------
    >>> from valor_report.tables.structures import matrix
    >>> drawn = canvas(matrix({"a": {"a": 3, "b": 0}, "b": {"a": 1, "b": 4}}), "Counts")
    >>> drawn.startswith('<canvas class="matrix" role="img" aria-label="Counts">')
    True
    """
    places = held.row_of * len(held.columns) + held.column_of
    numbers = held.cells
    is_small = numbers.dtype.kind in "iu" and not (numbers >> 32).any()
    content = {
        "rows": held.rows,
        "columns": held.columns,
        "confusion": held.confusion,
        "type": "Uint32Array" if is_small else "Float64Array",
        "places": b64encode(places.astype("<u4").tobytes()).decode(),
        "numbers": b64encode(numbers.astype("<u4" if is_small else "<f8").tobytes()).decode(),
    }
    text = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<canvas class="matrix" role="img" aria-label="{escape(name)}"></canvas>\n'
        '<p class="caption" role="status">Point at a cell to read it.</p>\n'
        f'<script type="application/json">{text}</script>'
    )
