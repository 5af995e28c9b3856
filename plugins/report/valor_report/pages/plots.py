"""SVG plots that do not depend on a metric; equal numbers give equal text.

Colors are CSS custom properties, so that a plot follows the light or dark style of its page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from attrs import frozen

from valor_report.tables.structures import Matrix
from valor_report.tables.text_table import MISSING, width

Point = tuple[float, float]

COLORS = 8

STYLE = """
svg.plot { display: block; width: 100%; height: auto; font: 12px var(--sans); overflow: visible; }
svg.plot text { fill: var(--soft); }
svg.plot .title-x, svg.plot .title-y { fill: var(--ink); }
svg.plot .grid { stroke: var(--line); stroke-width: 1; }
svg.plot .axis { stroke: var(--soft); stroke-width: 1; }
svg.plot .guide { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; fill: none; }
svg.plot .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
svg.plot .other { stroke: var(--soft); stroke-width: 1; opacity: .35; }
svg.plot circle.other { fill: var(--soft); }
svg.plot .mean { stroke: var(--ink); stroke-width: 3; }
svg.plot .legend { fill: var(--ink); }
svg.plot .bar { fill: var(--accent); }
svg.plot .whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg.plot .gap { fill: var(--bad); opacity: .18; }
svg.plot .cell { fill: var(--accent); }
svg.plot .off { fill: var(--bad); }
svg.plot .frame { fill: none; stroke: var(--line); }
svg.plot .count { fill: var(--ink); text-anchor: middle; dominant-baseline: central; }
svg.plot .count.on { fill: var(--on-accent); }
""" + "".join(
    f"svg.plot .c{i} {{ stroke: var(--c{i}); }} svg.plot .k{i} {{ fill: var(--c{i}); }}\n"
    for i in range(COLORS)
)

_CHAR = 6.6
_LONGEST = 22


@frozen
class Axis:
    """Title and range of one axis."""

    title: str
    low: float = 0.0
    high: float = 1.0

    def share(self, value: float) -> float:
        """Position of a value on the axis from 0 (low) to 1 (high)."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0


@frozen
class Line:
    """Line of a plot.

    Parameters
    ----------
    name : str
        Name in the legend.
    points : sequence of pairs of float
        Coordinates x and y.
    marked : bool
        Whether to draw a dot at each point.
    """

    name: str
    points: Sequence[Point]
    marked: bool = False


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


def line_plot(
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    name: str,
    others: Sequence[Line] = (),
    mean: Line | None = None,
    diagonal: bool = False,
) -> str:
    """Line plot with a legend of the named lines.

    Parameters
    ----------
    lines : sequence of Line
        Lines in color. Only the first `COLORS` are drawn.
    x, y : Axis
        The axes.
    name : str
        Accessible name of the plot.
    others : sequence of Line
        Gray lines in the background, without a legend.
    mean : Line, optional
        Thick line in front of the others, first in the legend.
    diagonal : bool
        Whether to draw a dashed line between the corners.

    Examples
    --------
    >>> svg = line_plot([Line("cat", [(0, 0), (1, 1)])], Axis("x"), Axis("y"), name="A line")
    >>> svg.startswith('<svg class="plot"'), "A line" in svg
    (True, True)
    """
    left, top, side_x, side_y = 52.0, 10.0, 330.0, 300.0
    styles = [f"c{i}" for i in range(len(lines[:COLORS]))]
    named = [(line, style) for line, style in zip(lines, styles, strict=False) if line.name]
    legend = _legend([*([(mean, "mean")] if mean else []), *named], top + side_y + 52, left, side_x)
    height = top + side_y + 44 + legend.height

    def place(point: Point) -> Point:
        return left + x.share(point[0]) * side_x, top + (1 - y.share(point[1])) * side_y

    parts = [*_axes(x, y, left, top, side_x, side_y)]
    if diagonal:
        (x0, y0), (x1, y1) = place((x.low, y.low)), place((x.high, y.high))
        parts.append(f'<path class="guide" d="M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}"/>')
    for line in others:
        parts.append(_path(line, place, "curve other"))
        if line.marked:
            parts += [_dot(place(point), "other") for point in line.points]
    for i, line in enumerate(lines[:COLORS]):
        parts.append(_path(line, place, f"curve c{i}"))
        if line.marked:
            parts += [_dot(place(point), f"k{i}") for point in line.points]
    if mean is not None:
        parts.append(_path(mean, place, "curve mean"))
    return _svg(left + side_x + 14, height, name, [*parts, *legend.parts])


def bar_plot(
    edges: Sequence[tuple[float, float]], sizes: Sequence[float], x: Axis, title: str, *, name: str
) -> str:
    """Histogram.

    Parameters
    ----------
    edges : sequence of pairs of float
        Left and right edge of each bar.
    sizes : sequence of float
        Height of each bar.
    x : Axis
        Horizontal axis.
    title : str
        Title of the vertical axis.
    name : str
        Accessible name of the plot.

    Examples
    --------
    >>> svg = bar_plot([(0, 0.5), (0.5, 1)], [3, 4], Axis("score"), "items", name="Items by score")
    >>> svg.count('class="bar"')
    2
    """
    left, top, side_x, side_y = 52.0, 10.0, 330.0, 90.0
    y = Axis(title, 0, max([*sizes, 1]))
    parts = [*_axes(x, y, left, top, side_x, side_y, about=2)]
    for (begin, end), size in zip(edges, sizes, strict=True):
        x0, x1 = left + x.share(begin) * side_x, left + x.share(end) * side_x
        high = y.share(size) * side_y
        parts.append(
            f'<rect class="bar" x="{_n(x0 + 0.5)}" y="{_n(top + side_y - high)}" '
            f'width="{_n(max(x1 - x0 - 1, 1))}" height="{_n(high)}">'
            f"<title>{_tick(begin)} to {_tick(end)}: {_count(size)}</title></rect>"
        )
    return _svg(left + side_x + 14, top + side_y + 44, name, parts)


def _whisker(low: float, high: float, y: float) -> str:
    caps = "".join(f"M{_n(x)} {_n(y - 4)}v8" for x in (low, high))
    return f'<path class="whisker" d="M{_n(low)} {_n(y)}H{_n(high)}{caps}"/>'


def row_plot(
    kinds: Sequence[str],
    columns: Sequence[str],
    numbers: Sequence[Sequence[tuple[float, str] | None]],
    *,
    name: str,
    intervals: Sequence[Sequence[tuple[float, float] | None]] = (),
) -> str:
    """Horizontal bar chart with one panel per column.

    Parameters
    ----------
    kinds : sequence of str
        Names of the rows.
    columns : sequence of str
        Titles of the panels.
    numbers : sequence of sequence of (float, str) or None
        Number and its text by row and panel.
    name : str
        Accessible name of the plot.
    intervals : sequence of sequence of (float, float) or None
        Interval of each number, drawn as a whisker.

    Examples
    --------
    >>> svg = row_plot(["missed", "made up"], ["count"], [[(3, "3")], [(1, "1")]], name="Errors")
    >>> svg.count('class="bar"')
    2
    """
    left, top, high, side, gap = max(map(_wide, kinds), default=0) + 16, 26.0, 26.0, 150.0, 74.0
    bottom = top + high * len(kinds)
    parts = [
        f'<text class="legend" x="{_n(left - 10)}" y="{_n(top + (i + 0.5) * high)}" '
        f'text-anchor="end" dominant-baseline="central">{_named(kind)}</text>'
        for i, kind in enumerate(kinds)
    ]
    for place, title in enumerate(columns):
        cells = [row[place] for row in numbers]
        ranges = [row[place] for row in intervals] or [None] * len(cells)
        limits = [0.0, *(cell[0] for cell in cells if cell)]
        limits += [end for ends in ranges if ends for end in ends]
        least, most = min(limits), max(limits)
        axis, x = Axis(title, least, most if most > least else least + 1), left
        zero = x + axis.share(0) * side
        parts.append(f'<text x="{_n(zero)}" y="12">{_e(title)}</text>')
        for i, cell in enumerate(cells):
            y = top + i * high
            end = zero if cell is None else x + axis.share(cell[0]) * side
            ends = [x + axis.share(one) * side for one in ranges[i] or ()]
            text = MISSING if cell is None else cell[1]
            parts.append(
                f'<rect class="bar" x="{_n(min(zero, end))}" y="{_n(y + 5)}" '
                f'width="{_n(abs(end - zero))}" height="{_n(high - 10)}"/>'
                f'<text class="legend" x="{_n(max(zero, end, *ends) + 6)}" y="{_n(y + high / 2)}" '
                f'dominant-baseline="central">{_e(text)}</text>'
            )
            parts += [_whisker(ends[0], ends[1], y + high / 2)] if ends else []
        parts.append(f'<path class="axis" d="M{_n(zero)} {_n(top)}V{_n(bottom)}"/>')
        left += side + gap
    return _svg(left, bottom + 4, name, parts, natural=True)


def heat_map(held: Matrix, name: str) -> str:
    """Heat map of a matrix, shaded by the share of the row.

    Parameters
    ----------
    held : Matrix
        The matrix. Errors of a confusion matrix have a separate color.
    name : str
        Accessible name of the plot.

    Examples
    --------
    >>> from valor_report.tables.structures import matrix
    >>> held = matrix({"a": {"a": 3, "b": 1}, "b": {"a": 0, "b": 4}})
    >>> heat_map(held, "Confusion matrix").count('class="count')
    3
    """
    rows, columns = held.rows, held.columns
    row_title, column_title = ("ground truth", "prediction") if held.confusion else ("", "")
    size = max(12.0, min(46.0, 640.0 / max(len(columns), 1)))
    font = 12.0 if size >= 24 else max(8.0, size * 0.62)
    left = 26 + max(map(_wide, rows), default=0) * font / 12
    top = 30 + max(map(_wide, columns), default=0) * font / 12 * 0.72
    side_x, side_y = size * len(columns), size * len(rows)
    middle_x, middle_y = _n(left + side_x / 2), _n(top + side_y / 2)
    parts = [
        f'<text class="title-x" x="{middle_x}" y="12" text-anchor="middle">{_e(column_title)}'
        f'</text><text class="title-y" transform="translate(12 {middle_y}) rotate(-90)" '
        f'text-anchor="middle">{_e(row_title)}</text>'
    ]
    for i, label in enumerate(rows):
        parts.append(
            f'<text x="{_n(left - 6)}" y="{_n(top + (i + 0.5) * size)}" text-anchor="end" '
            f'dominant-baseline="central" font-size="{_n(font)}">{_named(label)}</text>'
        )
    for j, label in enumerate(columns):
        x = left + (j + 0.5) * size
        parts.append(
            f'<text transform="translate({_n(x + 3)} {_n(top - 6)}) rotate(-45)" '
            f'font-size="{_n(font)}">{_named(label)}</text>'
        )
    for i, values in enumerate(held.numbers.tolist()):
        total = sum(map(abs, values))
        for j, value in enumerate(values):
            if value:
                corner = left + j * size, top + i * size
                hit = not held.confusion or rows[i] == columns[j]
                hint = f"{rows[i]} → {columns[j]}: {_count(value)} ({value / total:.1%})"
                parts.append(_shade(corner, size, value, value / total, hit, hint))
    parts.append(
        f'<rect class="frame" x="{_n(left)}" y="{_n(top)}" width="{_n(side_x)}" '
        f'height="{_n(side_y)}"/>'
    )
    # Without a maximum size, the plot of a small matrix would fill the width of the page.
    tilt = _wide(columns[-1]) * font / 12 * 0.72 if columns else 0
    return _svg(left + side_x + max(14.0, tilt), top + side_y + 8, name, parts, natural=True)


def _shade(corner: Point, size: float, value: float, share: float, hit: bool, hint: str) -> str:
    x, y = corner
    opacity = 0.08 + 0.92 * max(0.0, min(1.0, share))
    rect = (
        f'<rect class="{"cell" if hit else "off"}" x="{_n(x + 0.5)}" y="{_n(y + 0.5)}" '
        f'width="{_n(size - 1)}" height="{_n(size - 1)}" fill-opacity="{opacity:.2f}">'
        f"<title>{_e(hint)}</title></rect>"
    )
    text = _short_count(value)
    if size < 22 or len(text) * _CHAR > size:
        return rect
    on = " on" if opacity > 0.6 else ""
    return (
        f'{rect}<text class="count{on}" x="{_n(x + size / 2)}" y="{_n(y + size / 2)}" '
        f'font-size="11" pointer-events="none">{text}</text>'
    )


@frozen
class _Legend:
    parts: tuple[str, ...]
    height: float


def _legend(lines: Sequence[tuple[Line, str]], top: float, left: float, side: float) -> _Legend:
    """Legend of named lines, wrapped at the width `side`."""
    if not lines:
        return _Legend((), 0)
    parts, x, row = [], 0.0, 0
    for line, style in lines:
        wide = 40 + _wide(line.name)
        if x and x + wide > side:
            x, row = 0.0, row + 1
        y = top + row * 18
        parts.append(
            f'<path class="curve {style}" d="M{_n(left + x)} {_n(y)}h18"/>'
            f'<text class="legend" x="{_n(left + x + 24)}" y="{_n(y)}" '
            f'dominant-baseline="central">{_named(line.name)}</text>'
        )
        x += wide
    return _Legend(tuple(parts), (row + 1) * 18 + 6)


def _axes(
    x: Axis, y: Axis, left: float, top: float, side_x: float, side_y: float, about: int = 5
) -> Iterable[str]:
    bottom, right = top + side_y, left + side_x
    for value in ticks(y.low, y.high, about):
        at = bottom - y.share(value) * side_y
        yield f'<path class="grid" d="M{_n(left)} {_n(at)}H{_n(right)}"/>'
        yield (
            f'<text x="{_n(left - 8)}" y="{_n(at)}" text-anchor="end" '
            f'dominant-baseline="central">{_tick(value)}</text>'
        )
    for value in ticks(x.low, x.high):
        at = left + x.share(value) * side_x
        yield f'<path class="grid" d="M{_n(at)} {_n(top)}V{_n(bottom)}"/>'
        yield (
            f'<text x="{_n(at)}" y="{_n(bottom + 16)}" text-anchor="middle">{_tick(value)}</text>'
        )
    yield f'<path class="axis" d="M{_n(left)} {_n(top)}V{_n(bottom)}H{_n(right)}" fill="none"/>'
    yield (
        f'<text class="title-x" x="{_n(left + side_x / 2)}" y="{_n(bottom + 36)}" '
        f'text-anchor="middle">{_e(x.title)}</text>'
    )
    yield (
        f'<text class="title-y" transform="translate(12 {_n(top + side_y / 2)}) rotate(-90)" '
        f'text-anchor="middle">{_e(y.title)}</text>'
    )


def _path(line: Line, place: Callable[[Point], Point], classes: str) -> str:
    points = thinned([place(point) for point in line.points])
    steps = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    hint = f"<title>{_e(line.name)}</title>" if line.name else ""
    return f'<path class="{classes}" d="M{steps}">{hint}</path>' if steps else ""


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


def _dot(at: Point, style: str) -> str:
    return f'<circle class="{style}" cx="{_n(at[0])}" cy="{_n(at[1])}" r="3.5"/>'


def _svg(
    width: float, height: float, name: str, parts: Iterable[str], *, natural: bool = False
) -> str:
    limit = f' style="max-width: {_n(width)}px"' if natural else ""
    return (
        f'<svg class="plot" role="img" aria-label="{_e(name)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}"{limit} xmlns="http://www.w3.org/2000/svg">\n'
        + "\n".join(part for part in parts if part)
        + "\n</svg>"
    )


def _e(text: str) -> str:
    return escape(text, quote=True)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _wide(text: str) -> float:
    return width(_cut(text)) * _CHAR


def _named(text: str) -> str:
    """Escape a label; a long one is cut and shown in full on hover."""
    return _e(text) if _cut(text) == text else f"{_e(_cut(text))}<title>{_e(text)}</title>"


def _n(value: float) -> str:
    """Format a coordinate to one decimal, without negative zero."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.1f}"


def _tick(value: float) -> str:
    if abs(value) >= 1000:
        return _short_count(value)
    return f"{value:g}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _short_count(value: float) -> str:
    """Format a count in about four characters.

    Examples
    --------
    >>> _short_count(950), _short_count(12_345), _short_count(2_500_000), _short_count(0.25)
    ('950', '12k', '2.5M', '0.25')
    """
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            scaled = value / unit
            return (
                f"{scaled:.1f}".removesuffix(".0") + sign if scaled < 10 else f"{scaled:.0f}{sign}"
            )
    return f"{value:.3g}"
