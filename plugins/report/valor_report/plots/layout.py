"""Positions of a drawing's lines, bars and texts in pixels; equal numbers give equal positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from attrs import frozen

from valor_report.plots.charts import Chart, Drawing, Line, Point
from valor_report.tables.text_table import width

_CHARACTER = 6.6
_LONGEST = 22
_LONGEST_ROW = 34
_LEGEND_ROW = 18.0
_MOST_STOPS = 50
"""Maximum number of links of a drawing that the keyboard stops at."""
_LEAST_SIDE = 22.0
"""Least side of a cell with a number, in pixels."""
_GAP = 74.0
"""Least space between charts side by side, where the texts of bars are."""
_TURN = 0.72
"""Height of a name that is written at 45 degrees, in widths of the name."""


@frozen
class Stroke:
    """Path of an SVG."""

    kind: ClassVar[str] = "stroke"
    path: str
    style: str
    hint: str = ""


@frozen
class Block:
    """Rectangle of an SVG."""

    kind: ClassVar[str] = "block"
    x: str
    y: str
    width: str
    height: str
    style: str
    hint: str = ""
    filter: str = ""


@frozen
class Square:
    """Cell of a matrix in an SVG, a path because a path has fewer attributes than a rectangle."""

    kind: ClassVar[str] = "square"
    path: str
    style: str
    hint: str
    filter: str
    opacity: str


@frozen
class Count:
    """Number in a cell of a matrix."""

    kind: ClassVar[str] = "count"
    x: str
    y: str
    text: str
    style: str


@frozen
class Disc:
    """Circle of an SVG."""

    kind: ClassVar[str] = "disc"
    x: str
    y: str
    style: str
    hint: str = ""
    filter: str = ""


@frozen
class Word:
    """Text of an SVG."""

    kind: ClassVar[str] = "word"
    x: str
    y: str
    text: str
    style: str = ""
    anchor: str = ""
    is_centered: bool = False
    size: str = ""
    turn: int = 0
    hint: str = ""


Shape = Stroke | Block | Square | Count | Disc | Word


@frozen
class Layout:
    """Drawing as shapes of an SVG.

    Parameters
    ----------
    name : str
        Accessible name.
    width, height : float
        Size in pixels.
    has_full_width : bool
        As of a `Drawing`.
    shapes : tuple of Shape
        Shapes in the order in which they are drawn.
    """

    name: str
    width: float
    height: float
    has_full_width: bool
    shapes: tuple[Shape, ...]

    @property
    def box(self) -> str:
        """Value of the attribute ``viewBox``."""
        return f"0 0 {_n(self.width)} {_n(self.height)}"

    @property
    def filters(self) -> int:
        """Number of shapes that select items."""
        linked = (one for one in self.shapes if isinstance(one, Block | Square | Disc))
        return sum(bool(one.filter) for one in linked)

    @property
    def skips_links(self) -> bool:
        """True if the keyboard skips the links because there are many; tables have them, too."""
        return self.filters > _MOST_STOPS

    @property
    def limit(self) -> str:
        """Style that keeps a small drawing from filling the width of its page; may be empty."""
        return "" if self.has_full_width else f"max-width: {_n(self.width)}px"

    @classmethod
    def of(cls, drawing: Drawing) -> Layout:
        """Lay out the charts of a drawing.

        Examples
        --------
        >>> from valor_report.plots.charts import Axis
        >>> chart = Chart(x=Axis("x"), y=Axis("y"), lines=(Line("cat", [(0, 0), (1, 1)]),))
        >>> layout = Layout.of(Drawing("A line", (chart,)))
        >>> layout.box
        '0 0 396 378'
        """
        areas = _areas(drawing)
        return cls(
            drawing.name,
            max((area.right for area in areas), default=0.0),
            max((area.bottom for area in areas), default=0.0),
            drawing.has_full_width,
            tuple(shape for area in areas for shape in area.shapes()),
        )

    @staticmethod
    def corners(drawing: Drawing) -> list[Point]:
        """Left and top edge of the area between the axes of each chart, in pixels.

        Examples
        --------
        >>> from valor_report.plots.charts import Axis
        >>> Layout.corners(Drawing("A line", (Chart(x=Axis("x"), y=Axis("y")),)))
        [(52.0, 10.0)]
        """
        return [(area.left, area.top) for area in _areas(drawing)]


@frozen
class _Area:
    """Chart at a position: the rectangle between its axes, and what is around it."""

    chart: Chart
    left: float
    top: float
    font: float
    has_names: bool

    @classmethod
    def of(cls, chart: Chart, edge: float, *, is_first: bool) -> _Area:
        side = chart.width / len(chart.x.names) if chart.x.names else 24.0
        font = 12.0 if side >= 24 else max(8.0, side * 0.62)
        if chart.y.names and not is_first:
            left = edge
        elif chart.y.names:
            widest = _widest(chart.y.names, longest_name(chart))
            left = edge + widest * font / 12 + (26 if chart.x.names else 16)
        else:
            left = edge + 52
        top = 10.0
        if chart.x.names:
            top = 30 + _widest(chart.x.names) * font / 12 * _TURN
        elif chart.y.names:
            top = 26.0
        return cls(chart, left, top, font, is_first)

    @property
    def right(self) -> float:
        """Right edge, including the last name above a column, or texts of bars."""
        edge = self.left + self.chart.width
        if names := self.chart.x.names:
            return edge + max(14.0, _wide(names[-1]) * self.font / 12 * _TURN)
        texts = [bar.text for bars in self.chart.bars for bar in bars.bars]
        texts += [dot.text for dot in self.chart.dots]
        room = max((width(text) * _CHARACTER + 10 for text in texts if text), default=0.0)
        return edge + max(room, 14.0)

    @property
    def bottom(self) -> float:
        """Bottom edge, including titles and the legend."""
        edge = self.top + self.chart.height
        if self.chart.x.names:
            return edge + 8
        if self.chart.y.names:
            return edge + 4
        rows = max((row for _, _, row, _ in self._legend()), default=-1) + 1
        return edge + 44 + (rows * _LEGEND_ROW + 6 if rows else 0)

    def _x(self, value: float) -> float:
        return self.left + self.chart.x.share(value) * self.chart.width

    def _y(self, value: float) -> float:
        share = self.chart.y.share(value)
        return self.top + (share if self.chart.y.names else 1 - share) * self.chart.height

    def shapes(self) -> Iterator[Shape]:
        """Yield the shapes in the order in which they are drawn."""
        yield from self._axes()
        yield from self._cells()
        yield from self._bars()
        if self.chart.diagonal:
            across, up = self.chart.x, self.chart.y
            yield Stroke(self._path(((across.low, up.low), (across.high, up.high))), "guide")
        for line in self.chart.lines:
            yield from self._line(line)
        for whisker in self.chart.whiskers:
            yield Stroke(self._whisker(whisker.low, whisker.high), "whisker")
        for dot in self.chart.dots:
            x, y = self._x(dot.at[0]), self._y(dot.at[1])
            yield Disc(_n(x), _n(y), dot.tone, dot.hint, dot.filter)
            if dot.text:
                end = max([x, *self._whisker_ends(dot.at[1])])
                yield Word(_n(end + 8), _n(y), dot.text, "legend", is_centered=True)
        yield from self._legend_shapes()

    def _axes(self) -> Iterator[Shape]:
        chart, left, top = self.chart, self.left, self.top
        bottom, right = top + chart.height, left + chart.width
        if chart.x.names:
            yield from self._matrix_names()
            size = _n(chart.width), _n(chart.height)
            yield Block(_n(left), _n(top), *size, "frame")
            return
        if chart.y.names:
            yield from self._row_names(bottom)
            return
        for value in ticks(chart.y.low, chart.y.high, 5 if chart.height > 200 else 2):
            at = self._y(value)
            yield Stroke(f"M{_n(left)} {_n(at)}H{_n(right)}", "grid")
            yield Word(_n(left - 8), _n(at), tick_text(value), anchor="end", is_centered=True)
        for value in ticks(chart.x.low, chart.x.high):
            at = self._x(value)
            yield Stroke(f"M{_n(at)} {_n(top)}V{_n(bottom)}", "grid")
            yield Word(_n(at), _n(bottom + 16), tick_text(value), anchor="middle")
        yield Stroke(f"M{_n(left)} {_n(top)}V{_n(bottom)}H{_n(right)}", "axis")
        middle = left + chart.width / 2, top + chart.height / 2
        yield Word(_n(middle[0]), _n(bottom + 36), chart.x.title, "title-x", "middle")
        yield Word(_n(left - 40), _n(middle[1]), chart.y.title, "title-y", "middle", turn=-90)

    def _matrix_names(self) -> Iterator[Shape]:
        chart, size = self.chart, _n(self.font) if self.font != 12 else ""
        middle = self.left + chart.width / 2, self.top + chart.height / 2
        if chart.x.title:
            yield Word(_n(middle[0]), "12", chart.x.title, "title-x", "middle")
        if chart.y.title:
            yield Word("12", _n(middle[1]), chart.y.title, "title-y", "middle", turn=-90)
        for i, name in enumerate(chart.y.names):
            at = _n(self.left - 6), _n(self._y(i + 0.5))
            yield _named(*at, name, anchor="end", is_centered=True, size=size)
        for i, name in enumerate(chart.x.names):
            at = _n(self._x(i + 0.5) + 3), _n(self.top - 6)
            yield _named(*at, name, size=size, turn=-45)

    def _row_names(self, bottom: float) -> Iterator[Shape]:
        zero = self._x(max(0.0, self.chart.x.low))
        if self.has_names:
            for i, name in enumerate(self.chart.y.names):
                at = _n(self.left - 10), _n(self._y(i + 0.5))
                style: dict[str, Any] = {"style": "legend", "anchor": "end", "is_centered": True}
                yield _named(*at, name, longest_name(self.chart), **style)
        yield _named(_n(zero), "12", self.chart.x.title)
        yield Stroke(f"M{_n(zero)} {_n(self.top)}V{_n(bottom)}", "axis")

    def _cells(self) -> Iterator[Shape]:
        if not self.chart.cells:
            return
        side = self.chart.width / len(self.chart.x.names)
        length = _n(side - 1)
        has_texts = side >= _LEAST_SIDE
        for cell in self.chart.cells:
            x, y = self._x(cell.column), self._y(cell.row)
            yield Square(
                f"M{_n(x + 0.5)} {_n(y + 0.5)}h{length}v{length}h-{length}z",
                "cell" if cell.is_hit else "off",
                cell.hint,
                cell.filter,
                f"{cell.shade:.2f}",
            )
            if has_texts and len(cell.text) * _CHARACTER <= side:
                style = "count on" if cell.shade > 0.6 else "count"
                yield Count(_n(x + side / 2), _n(y + side / 2), cell.text, style)

    def _bars(self) -> Iterator[Shape]:
        gap = 0.0 if self.chart.y.names else 0.5
        for bars in self.chart.bars:
            for bar in bars.bars:
                x, end = sorted(map(self._x, bar.x))
                y, foot = sorted(map(self._y, bar.y))
                wide = end - x - 2 * gap
                yield Block(
                    _n(x + gap),
                    _n(y),
                    _n(max(wide, 1) if gap else wide),
                    _n(foot - y),
                    bars.tone,
                    bar.hint,
                    bar.filter,
                )
                if bar.text:
                    edge = max([end, *self._whisker_ends(sum(bar.y) / 2)])
                    at = _n(edge + 6), _n((y + foot) / 2)
                    yield Word(*at, bar.text, "legend", is_centered=True)

    def _whisker_ends(self, row: float) -> Iterator[float]:
        """Yield the right ends of horizontal whiskers in a row."""
        for whisker in self.chart.whiskers:
            if whisker.low[1] == whisker.high[1] == row:
                yield self._x(whisker.high[0])

    def _whisker(self, low: Point, high: Point) -> str:
        x0, y0, x1, y1 = self._x(low[0]), self._y(low[1]), self._x(high[0]), self._y(high[1])
        if low[1] == high[1]:
            caps = "".join(f"M{_n(x)} {_n(y0 - 4)}v8" for x in (x0, x1))
        else:
            caps = "".join(f"M{_n(x0 - 4)} {_n(y)}h8" for y in (y0, y1))
        return f"M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}{caps}"

    def _line(self, line: Line) -> Iterator[Shape]:
        style = "guide" if line.tone == "guide" else f"curve {line.tone}"
        path = self._path(line.points)
        if path:
            yield Stroke(path, style, line.name)
        if line.marked:
            for x, y in line.points:
                yield Disc(_n(self._x(x)), _n(self._y(y)), line.tone)

    def _path(self, points: Iterable[Point]) -> str:
        placed = thinned([(self._x(x), self._y(y)) for x, y in points])
        steps = "L".join(f"{_n(x)} {_n(y)}" for x, y in placed)
        return f"M{steps}" if steps else ""

    def _legend(self) -> Iterator[tuple[str, str, int, float]]:
        """Yield name, style, row and left edge of the entries, wrapped at the width."""
        x, row = 0.0, 0
        for name, style in legend_of(self.chart):
            wide = 46 + _wide(name)
            if x and x + wide > self.chart.width:
                x, row = 0.0, row + 1
            yield name, style, row, x
            x += wide

    def _legend_shapes(self) -> Iterator[Shape]:
        top = self.top + self.chart.height + 52
        for name, style, row, place in self._legend():
            x, y = self.left + place, top + row * _LEGEND_ROW
            if style in ("bar", "off"):
                yield Block(_n(x), _n(y - 5), "18", "10", style)
            else:
                classes = style if style == "guide" else f"curve {style}"
                yield Stroke(f"M{_n(x)} {_n(y)}h18", classes)
            yield _named(_n(x + 24), _n(y), name, style="legend", is_centered=True)


def _areas(drawing: Drawing) -> list[_Area]:
    areas: list[_Area] = []
    left = 0.0
    for chart in drawing.charts:
        areas.append(_Area.of(chart, left, is_first=not areas))
        left = max(areas[-1].right, areas[-1].left + chart.width + _GAP)
    return areas


def legend_of(chart: Chart) -> list[tuple[str, str]]:
    """Names and tones of a chart's legend: the mean first, without gray lines.

    Examples
    --------
    >>> from valor_report.plots.charts import Axis
    >>> lines = (Line("cat", [(0, 0)]), Line("mean", [(0, 1)], tone="mean"))
    >>> legend_of(Chart(x=Axis("x"), y=Axis("y"), lines=lines))
    [('mean', 'mean'), ('cat', 'c0')]
    """
    named = [(line.name, line.tone) for line in chart.lines if line.name and line.tone != "other"]
    named.sort(key=lambda entry: entry[1] != "mean")
    return [*named, *((bars.name, bars.tone) for bars in chart.bars if bars.name)]


def ticks(low: float, high: float, about: int = 5) -> tuple[float, ...]:
    """Round numbers that divide a range into about `about` parts.

    Examples
    --------
    >>> ticks(0, 1), ticks(0, 730)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 200.0, 400.0, 600.0))
    """
    if high <= low:
        return (low,)
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(round(i * step, 12) for i in range(first, last + 1))


def thinned(points: Sequence[Point], closest: float = 0.4) -> list[Point]:
    """Drop points that are too close to the previous one, except the last.

    Examples
    --------
    >>> thinned([(0, 0), (0.1, 0), (5, 0), (5.1, 0)])
    [(0, 0), (5, 0), (5.1, 0)]
    """
    kept = list(points[:1])
    for x, y in points[1:]:
        if abs(x - kept[-1][0]) >= closest or abs(y - kept[-1][1]) >= closest:
            kept.append((x, y))
    if len(points) > 1 and kept[-1] != points[-1]:
        kept.append(points[-1])
    return kept


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Cut a long name.

    Examples
    --------
    >>> shortened("cat"), shortened("a long name", 7)
    ('cat', 'a long…')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def longest_name(chart: Chart) -> int:
    """Number of characters of a row's name that are written."""
    return _LONGEST if chart.x.names else _LONGEST_ROW


def tick_text(value: float) -> str:
    """Format a number of an axis."""
    return short_count(value) if abs(value) >= 1000 else f"{value:g}"


def short_count(value: float) -> str:
    """Format a count in about four characters.

    Examples
    --------
    >>> short_count(950), short_count(12_345), short_count(2_500_000), short_count(0.25)
    ('950', '12k', '2.5M', '0.25')
    """
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            scaled = value / unit
            return (
                f"{scaled:.1f}".removesuffix(".0") + sign if scaled < 10 else f"{scaled:.0f}{sign}"
            )
    return f"{value:.3g}"


def _named(x: str, y: str, name: str, longest: int = _LONGEST, **attributes: Any) -> Word:
    """Name that is cut if it is long, and then shown in full on hover."""
    cut = shortened(name, longest)
    return Word(x, y, cut, hint="" if cut == name else name, **attributes)


def _wide(text: str, longest: int = _LONGEST) -> float:
    return width(shortened(text, longest)) * _CHARACTER


def _widest(names: Iterable[str], longest: int = _LONGEST) -> float:
    return max((_wide(name, longest) for name in names), default=0.0)


def _n(value: float) -> str:
    """Format a coordinate to one decimal, without negative zero."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.1f}"
