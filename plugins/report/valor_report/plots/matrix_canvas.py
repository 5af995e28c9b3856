"""Matrices of many labels, which a script of the page draws on a canvas from encoded cells."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from attrs import frozen

from valor_report.tables.structures import Matrix


@frozen
class MatrixCanvas:
    """Canvas of a matrix, shaded by the share of the row.

    Parameters
    ----------
    name : str
        Accessible name.
    content : dict
        Labels and encoded cells, for the script.
    """

    name: str
    content: dict[str, Any]

    @classmethod
    def of(cls, held: Matrix, name: str) -> MatrixCanvas:
        """Encode the cells of a matrix.

        Examples
        --------
        >>> from valor_report.tables.structures import matrix
        >>> held = MatrixCanvas.of(matrix({"a": {"a": 3, "b": 0}, "b": {"a": 1, "b": 4}}), "Counts")
        >>> held.content["rows"], held.content["type"]
        (('a', 'b'), 'Uint32Array')
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
        return cls(name, content)
