"""Figure of a matrix: a heat map, or a canvas if the matrix has many labels."""

from __future__ import annotations

from typing import Final, Literal, get_args
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ReportError, did_you_mean
from valor_report.plots.charts import Axis, Chart, Drawing, Figure, MatrixCell
from valor_report.plots.layout import short_count
from valor_report.plots.matrix_canvas import MatrixCanvas
from valor_report.tables.structures import NO_GROUND_TRUTH, NO_PREDICTION, Matrix

Normalize = Literal["true", "pred", "all"]
"""Total of which cells are shares: of the row, the column, or all cells, as in scikit-learn."""

MOST_LABELS_DRAWN: Final = 60
"""Maximum number of labels in a heat map."""

_ALIASES: Final[dict[str, Normalize]] = {"truth": "true", "prediction": "pred"}
_TOTALS: Final = {"true": "row", "pred": "column", "all": "matrix"}
_SIDE: Final = 46.0
_MOST_WIDTH: Final = 640.0
_LEAST_SIDE: Final = 12.0


def checked_normalize(normalize: str | None) -> Normalize | None:
    """Validate the parameter `normalize` of a plot.

    Raises
    ------
    ReportError
        If it has another value.

    Examples
    --------
    >>> checked_normalize("truth")
    'true'
    """
    if normalize is None:
        return None
    found = _ALIASES.get(normalize, normalize)
    for one in get_args(Normalize):
        if one == found:
            return one  # type: ignore[no-any-return]
    raise ReportError(
        f"plot: normalize must be one of {', '.join(map(repr, get_args(Normalize)))}, "
        f"got {normalize!r}",
        did_you_mean(str(normalize), get_args(Normalize))
        or "Write normalize='true' for shares of each ground truth.",
    )


def matrix_figure(
    held: Matrix, title: str, caption: str, normalize: Normalize | None = None
) -> Figure:
    """Figure of a matrix.

    Cells are shaded by their share of the row, or of the total that `normalize` names. Every cell
    of a confusion matrix has the filter ``truth=…&prediction=…`` of its items.

    Parameters
    ----------
    held : Matrix
        The matrix. Errors of a confusion matrix have a separate color.
    title, caption : str
        Text above the drawing.
    normalize : str, optional
        Total of which the numbers are shares; by default, the numbers are written.

    Examples
    --------
    >>> from valor_report.tables.structures import matrix
    >>> held = matrix({"confusion_matrix": {"a": {"a": 3, "b": 1}, "b": {"a": 0, "b": 4}}})
    >>> (drawing,) = matrix_figure(held, "Confusion matrix", "", "true").drawings
    >>> [cell.text for cell in drawing.charts[0].cells]
    ['75%', '25%', '100%']
    """
    name = f"{title}: {len(held.rows)} rows by {len(held.columns)} columns"
    caption = _shaded(held, caption, normalize)
    if held.size > MOST_LABELS_DRAWN:
        return Figure(title, caption, (), wide=True, canvas=MatrixCanvas.of(held, name))
    side = max(_LEAST_SIDE, min(_SIDE, _MOST_WIDTH / max(len(held.columns), 1)))
    chart = Chart(
        x=Axis.of("prediction" if held.confusion else "", held.columns),
        y=Axis.of("ground truth" if held.confusion else "", held.rows),
        cells=tuple(_cells(held, normalize)),
        width=side * len(held.columns),
        height=side * len(held.rows),
    )
    drawing = Drawing(name, (chart,), has_full_width=False)
    return Figure(title, caption, (drawing,), wide=True)


def _shaded(held: Matrix, caption: str, normalize: Normalize | None) -> str:
    """Caption of a matrix, with the meaning of its shades and numbers."""
    total = f"share of the {_TOTALS[normalize or 'true']}"
    about = f"shade: {total}" if normalize is None else f"shade and number: {total}"
    if held.confusion:
        about += ", red where the two differ"
    return "; ".join(filter(None, [about, caption]))


def _cells(held: Matrix, normalize: Normalize | None) -> list[MatrixCell]:
    shares, hits = _shares(held, normalize or "true").tolist(), held.is_hit.tolist()
    truths, predictions = _filters("truth", held.rows), _filters("prediction", held.columns)
    cells = []
    places = zip(held.row_of.tolist(), held.column_of.tolist(), strict=True)
    numbers = held.cells.tolist()
    for (row, column), number, share, is_hit in zip(places, numbers, shares, hits, strict=True):
        hint = f"{held.rows[row]} → {held.columns[column]}: {count_text(number)} ({share:.1%})"
        sides = (truths[row], predictions[column]) if held.confusion else ()
        cells.append(
            MatrixCell(
                row,
                column,
                short_count(number) if normalize is None else percent(share),
                hint,
                0.08 + 0.92 * max(0.0, min(1.0, share)),
                is_hit or not held.confusion,
                "&".join(filter(None, sides)),
            )
        )
    return cells


def _shares(held: Matrix, normalize: Normalize) -> NDArray[np.float64]:
    """Shares of the cells of a total, negative for negative numbers."""
    sizes = np.abs(held.cells).astype(np.float64)
    if normalize == "all":
        totals = np.full(len(sizes), sizes.sum())
    else:
        of, count = (
            (held.row_of, len(held.rows))
            if normalize == "true"
            else (held.column_of, len(held.columns))
        )
        totals = np.bincount(of, sizes, count)[of]
    shares: NDArray[np.float64] = held.cells / totals
    return shares


def _filters(key: str, names: tuple[str, ...]) -> list[str]:
    """Filters of the items of each row or column; empty for the ones of no label."""
    no_label = (NO_GROUND_TRUTH, NO_PREDICTION)
    return ["" if one in no_label else f"{key}={quote(one, '')}" for one in names]


def percent(share: float) -> str:
    """Format a share in at most four characters.

    Examples
    --------
    >>> percent(0.25), percent(0.005), percent(0.999)
    ('25%', '<1%', '>99%')
    """
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text


def count_text(value: float) -> str:
    """Format a number with separators.

    Examples
    --------
    >>> count_text(12_345), count_text(0.25)
    ('12,345', '0.25')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
