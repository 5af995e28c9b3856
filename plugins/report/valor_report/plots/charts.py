"""Descriptions of figures, which the SVG of pages and matplotlib draw alike.

A description holds numbers in the units of its axes, names and texts; neither pixels nor markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from valor_report.plots.matrix_canvas import MatrixCanvas

Point = tuple[float, float]
Range = tuple[float, float]

COLORS = 8
"""Number of colors of lines; their tones are ``"c0"`` to ``"c7"``."""


@frozen
class Axis:
    """Title and range of one axis.

    Parameters
    ----------
    title : str
        Title; empty for none.
    low, high : float
        Range of the numbers.
    names : tuple of str
        Names of rows or columns in place of numbers. Row i is between i and i + 1, and the first
        row is at the top.
    has_ticks : bool
        Whether numbers are written along the axis.
    """

    title: str
    low: float = 0.0
    high: float = 1.0
    names: tuple[str, ...] = ()
    has_ticks: bool = True

    @classmethod
    def of(cls, title: str, names: Sequence[str]) -> Axis:
        """Return the axis of named rows or columns.

        Examples
        --------
        >>> Axis.of("label", ["cat", "dog"]).high
        2
        """
        return cls(title, 0, len(names), tuple(names))

    def share(self, value: float) -> float:
        """Position of a value on the axis from 0 (low) to 1 (high)."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0


@frozen
class Line:
    """Line of a chart.

    Parameters
    ----------
    name : str
        Name in the legend; empty for none.
    points : sequence of pairs of float
        Coordinates x and y.
    marked : bool
        Whether to draw a dot at each point.
    tone : str
        ``"c0"`` to ``"c7"``, ``"mean"`` (thick), ``"other"`` (gray, never in the legend), or
        ``"guide"`` (dashed).
    """

    name: str
    points: Sequence[Point]
    marked: bool = False
    tone: str = "c0"


@frozen
class Bar:
    """Rectangle of a chart.

    Parameters
    ----------
    x, y : pair of float
        Lower and upper bound on each axis.
    text : str
        Text at the end of a horizontal bar.
    hint : str
        Text on hover.
    filter : str
        Filter of the items that the bar counts, as in `link_of`; empty for none.
    """

    x: Range
    y: Range
    text: str = ""
    hint: str = ""
    filter: str = ""


@frozen
class Bars:
    """Bars of one color.

    Parameters
    ----------
    name : str
        Name in the legend; empty for none.
    bars : tuple of Bar
        The bars.
    tone : str
        ``"bar"`` or ``"off"``, the color of errors.
    """

    name: str
    bars: tuple[Bar, ...]
    tone: str = "bar"


@frozen
class Dot:
    """Single point of a chart.

    Parameters
    ----------
    at : pair of float
        Coordinates x and y.
    tone : str
        As of a line.
    text, hint : str
        Text to the right of the dot, and on hover.
    filter : str
        As of a bar.
    """

    at: Point
    tone: str = "c0"
    text: str = ""
    hint: str = ""
    filter: str = ""


@frozen
class IntervalLine:
    """Interval of a number: a line with caps from one point to another.

    Parameters
    ----------
    low, high : pair of float
        Coordinates of the ends, which have the same x or the same y.
    """

    low: Point
    high: Point


@frozen
class MatrixCell:
    """MatrixCell of a matrix.

    Parameters
    ----------
    row, column : int
        Indices of the names on the axes.
    text, hint : str
        Text in the cell, and on hover.
    shade : float
        Opacity from 0 to 1.
    is_hit : bool
        False for errors, which have a separate color.
    filter : str
        As of a bar.
    """

    row: int
    column: int
    text: str
    hint: str
    shade: float
    is_hit: bool = True
    filter: str = ""


@frozen(kw_only=True)
class Chart:
    """One pair of axes and everything between them.

    Parameters
    ----------
    x, y : Axis
        The axes.
    bars, lines, dots, whiskers, cells : tuple
        Marks, drawn in this order except cells, which are drawn first.
    diagonal : bool
        Whether to draw a dashed line between the corners.
    width, height : float
        Size of the area between the axes in pixels.
    """

    x: Axis
    y: Axis
    bars: tuple[Bars, ...] = ()
    lines: tuple[Line, ...] = ()
    dots: tuple[Dot, ...] = ()
    whiskers: tuple[IntervalLine, ...] = ()
    cells: tuple[MatrixCell, ...] = ()
    diagonal: bool = False
    width: float = 330.0
    height: float = 300.0


@frozen
class Drawing:
    """Charts side by side.

    Parameters
    ----------
    name : str
        Accessible name.
    charts : tuple of Chart
        Charts; the rows of all have the same names, which are written at the first.
    has_full_width : bool
        Whether the drawing is as wide as its page. By default, it has its natural size.
    """

    name: str
    charts: tuple[Chart, ...]
    has_full_width: bool = True


@frozen
class Figure:
    """Drawings of one result.

    Parameters
    ----------
    title, caption : str
        Text above the drawings.
    drawings : tuple of Drawing
        Drawings, one below the other.
    wide : bool
        Whether the figure fills the width of its section.
    canvas : MatrixCanvas, optional
        Matrix of many labels, which a script of the page draws.
    has_links : bool
        Whether bars, dots and cells are links to items of the page. A page with a section of
        items sets it.
    """

    title: str
    caption: str
    drawings: tuple[Drawing, ...]
    wide: bool = False
    canvas: MatrixCanvas | None = None
    has_links: bool = False


def link_of(filter: str) -> str:
    """Address of the items of a page that a filter selects.

    A filter is a percent-encoded query string. Its keys are ``truth``, ``prediction`` and
    ``label``, and ``score`` with a range: ``score=0.4..0.5``.

    Examples
    --------
    >>> link_of("truth=cat&prediction=dog")
    '#items?truth=cat&prediction=dog'
    """
    return f"#items?{filter}"
