"""Drawings of charts with matplotlib, of the same descriptions as the SVG of pages."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from textwrap import wrap
from typing import Any, Final

from valor_core.packages import import_extra
from valor_report.pages.assets import STYLE
from valor_report.plots.charts import Axis, Chart, Drawing, Figure, Line
from valor_report.plots.extra import EXTRA
from valor_report.plots.layout import Layout, legend_of, longest_name, shortened, tick_text, ticks

_INCH: Final = 80.0
"""Pixels of a drawing per inch of a matplotlib figure."""
_DOTS: Final = 200
"""Dots per inch of a PNG."""
_MARGIN: Final = 14.0
_LINE: Final = 18.0
_LEAST: Final = 420.0
_CHARACTER: Final = 6.4
"""Approximate width of a character in a caption."""
_COLUMNS: Final = 2
"""Columns of a legend below its chart."""
_ROOM: Final = 0.45
"""Space for texts of bars, in widths of the axis."""
_SMALLEST: Final = 22.0
"""Least size of a cell with a number, in pixels."""


@cache
def colors() -> Mapping[str, str]:
    """Colors of the light style by name, such as ``"accent"``."""
    light = STYLE[: STYLE.index("@media")]
    return dict(re.findall(r"--([\w-]+): ([^;]+);", light))


def draw(figure: Figure, ax: Any) -> Any:
    """Draw a figure on matplotlib axes.

    A second chart, such as the histogram of a calibration error, has new axes below or beside the
    given ones, which shrink.

    Parameters
    ----------
    figure : Figure
        The figure.
    ax : matplotlib.axes.Axes
        Axes of the first chart.

    Returns
    -------
    matplotlib.axes.Axes
        The given axes.
    """
    first, *others = figure.drawings
    ax.set_title(figure.title, loc="left", fontsize="medium", parse_math=False)
    _draw_side_by_side(first, ax)
    if others:
        divider = _divider(ax)
        for other in others:
            chart = other.charts[0]
            size = f"{100 * chart.height / first.charts[0].height:.0f}%"
            below = divider.append_axes("bottom", size=size, pad=0.6)
            _draw_side_by_side(other, below)
    return ax


def _draw_side_by_side(drawing: Drawing, ax: Any) -> None:
    first, *others = drawing.charts
    draw_chart(first, ax)
    if others:
        divider = _divider(ax)
        for chart in others:
            beside = divider.append_axes("right", size="100%", pad=0.9, sharey=ax)
            draw_chart(chart, beside)
            beside.tick_params(labelleft=False)


def _divider(ax: Any) -> Any:
    module = import_extra("mpl_toolkits.axes_grid1", "plot", EXTRA, package="matplotlib")
    return module.make_axes_locatable(ax)


def draw_chart(chart: Chart, ax: Any, *, is_placed: bool = False) -> None:
    """Draw one chart on matplotlib axes.

    Parameters
    ----------
    chart : Chart
        The chart.
    ax : matplotlib.axes.Axes
        The axes.
    is_placed : bool
        Whether there is space around the axes for texts of bars and for the legend.
    """
    _cells(chart, ax)
    drawn = _bars(chart, ax)
    if chart.diagonal:
        ends = (chart.x.low, chart.x.high), (chart.y.low, chart.y.high)
        ax.plot(*ends, color=_color("guide"), linestyle="--", linewidth=0.8)
    for line in chart.lines:
        x, y = zip(*line.points, strict=True) if line.points else ((), ())
        (drawn[line.name],) = ax.plot(x, y, **_style(line))
    for one in chart.whiskers:
        is_level = one.low[1] == one.high[1]
        x, y = zip(one.low, one.high, strict=True)
        ax.plot(x, y, color=_color("mean"), linewidth=1.2, marker="|" if is_level else "_")
    for dot in chart.dots:
        ax.plot(*([value] for value in dot.at), "o", color=_color(dot.tone), markersize=4.5)
        if dot.text:
            _write(ax, dot.text, _end(chart, dot.at[0], dot.at[1]), dot.at[1])
    _set_axes(chart, ax, is_placed=is_placed)
    _legend(chart, ax, drawn, is_placed=is_placed)


def _cells(chart: Chart, ax: Any) -> None:
    if not chart.cells:
        return
    to_rgb = import_extra("matplotlib.colors", "plot", EXTRA).to_rgb
    blank = [(1.0, 1.0, 1.0, 0.0)] * len(chart.x.names)
    image = [list(blank) for _ in chart.y.names]
    hit, error = to_rgb(_color("cell")), to_rgb(_color("off"))
    is_wide = chart.width / len(chart.x.names) >= _SMALLEST
    for cell in chart.cells:
        image[cell.row][cell.column] = (*(hit if cell.is_hit else error), cell.shade)
        if is_wide:
            color = "white" if cell.shade > 0.6 else _color("mean")
            at = cell.column + 0.5, cell.row + 0.5
            ax.text(*at, cell.text, ha="center", va="center", fontsize="small", color=color)
    extent = (0, len(chart.x.names), len(chart.y.names), 0)
    ax.imshow(image, extent=extent, interpolation="nearest", aspect="equal")


def _bars(chart: Chart, ax: Any) -> dict[str, Any]:
    """Draw the bars; return their artists by name."""
    drawn = {}
    for bars in chart.bars:
        x, y = [bar.x for bar in bars.bars], [bar.y for bar in bars.bars]
        drawn[bars.name] = ax.bar(
            [low for low, _ in x],
            [high - low for low, high in y],
            [high - low for low, high in x],
            [low for low, _ in y],
            align="edge",
            color=_color(bars.tone),
            **({} if chart.y.names else {"edgecolor": "white", "linewidth": 0.5}),
        )
        for bar in bars.bars:
            if bar.text:
                middle = sum(bar.y) / 2
                _write(ax, bar.text, _end(chart, max(bar.x), middle), middle)
    return drawn


def _end(chart: Chart, edge: float, row: float) -> float:
    """Right end of a row's bar or dot and its whisker."""
    ends = [one.high[0] for one in chart.whiskers if one.low[1] == one.high[1] == row]
    return max([edge, *ends])


def _write(ax: Any, text: str, x: float, y: float) -> None:
    place = {"xytext": (5, 0), "textcoords": "offset points"}
    ax.annotate(text, (x, y), va="center", fontsize="small", parse_math=False, **place)


def _style(line: Line) -> dict[str, Any]:
    style: dict[str, Any] = {"color": _color(line.tone), "marker": "o" if line.marked else None}
    style |= {"linewidth": 1.6, "markersize": 4}
    if line.tone == "other":
        style |= {"linewidth": 0.8, "alpha": 0.35}
    elif line.tone == "mean":
        style["linewidth"] = 2.4
    elif line.tone == "guide":
        style |= {"linestyle": "--", "linewidth": 0.8}
    return style


def _color(tone: str) -> str:
    names = {"mean": "ink", "other": "soft", "guide": "soft", "bar": "accent", "cell": "accent"}
    return colors()[{"off": "bad", **names}.get(tone, tone)]


def _set_axes(chart: Chart, ax: Any, *, is_placed: bool) -> None:
    ax.set_xlabel(chart.x.title, parse_math=False)
    ax.set_ylabel(chart.y.title, parse_math=False)
    if chart.y.names:
        _name(ax.yaxis, chart.y, longest_name(chart))
        ax.set_ylim(chart.y.high, chart.y.low)
    else:
        margin = 0.02 * (chart.y.high - chart.y.low)
        foot = 0.0 if chart.bars else margin
        ax.set_ylim(chart.y.low - foot, chart.y.high + margin)
        _number(ax.yaxis, chart.y, 5 if chart.height > 200 else 2)
    if chart.x.names:
        _name(ax.xaxis, chart.x, longest_name(chart))
        ax.xaxis.set_label_position("top")
        ax.xaxis.tick_top()
        ax.set_xlim(chart.x.low, chart.x.high)
        for text in ax.get_xticklabels():
            text.set(rotation=45, ha="left", rotation_mode="anchor")
        size = max(5.0, min(10.0, 0.55 * chart.width / len(chart.x.names)))
        ax.tick_params(labelsize=size)
        return
    wide = chart.x.high - chart.x.low
    margin = 0.0 if chart.y.names else 0.02 * wide
    room = _ROOM * wide if chart.y.names and not is_placed else margin
    ax.set_xlim(chart.x.low - margin, chart.x.high + room)
    _number(ax.xaxis, chart.x, 5)
    ax.spines[["top", "right"]].set_visible(False)
    if chart.x.has_ticks:
        ax.grid(color=colors()["line"], linewidth=0.6)
        ax.set_axisbelow(True)
    else:
        ax.xaxis.set_label_position("top")
        ax.spines["bottom"].set_visible(False)
        ax.spines["left"].set_position(("data", max(0.0, chart.x.low)))


def _name(axis: Any, names: Axis, longest: int) -> None:
    places = [i + 0.5 for i in range(len(names.names))]
    axis.set_ticks(places, [shortened(one, longest) for one in names.names], parse_math=False)
    axis.set_tick_params(length=0)


def _number(axis: Any, numbers: Axis, about: int) -> None:
    places = ticks(numbers.low, numbers.high, about) if numbers.has_ticks else ()
    axis.set_ticks(places, list(map(tick_text, places)))


def _legend(chart: Chart, ax: Any, drawn: Mapping[str, Any], *, is_placed: bool) -> None:
    """Draw the legend of named lines and bars, of which `drawn` has the artists."""
    entries = legend_of(chart)
    if not entries:
        return
    handles = [drawn[name] for name, _ in entries]
    # Names that begin with an underscore would be dropped, and dollar signs would be mathematics.
    below = {
        "loc": "upper left",
        "bbox_to_anchor": (-0.02, -44 / chart.height),
        "ncols": _COLUMNS,
        "frameon": False,
        "borderpad": 0.2,
    }
    numbers = list(map(str, range(len(handles))))
    legend = ax.legend(handles, numbers, fontsize="small", **(below if is_placed else {}))
    for text, (name, _) in zip(legend.get_texts(), entries, strict=True):
        text.set(text=shortened(name), parse_math=False)


def picture(figures: Sequence[Figure]) -> Any:
    """Draw figures one below the other as a new matplotlib figure, without pyplot.

    Parameters
    ----------
    figures : sequence of Figure
        The figures.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    module = import_extra("matplotlib.figure", "plot", EXTRA)
    import_extra("mpl_toolkits.axes_grid1", "plot", EXTRA, package="matplotlib")
    width = _width(figures)
    heights = [
        2 * _MARGIN + _LINE * len(list(_lines(figure, width))) + sum(map(_height, figure.drawings))
        for figure in figures
    ]
    made = module.Figure(figsize=(width / _INCH, sum(heights) / _INCH))
    parts = made.subfigures(len(figures), 1, squeeze=False, height_ratios=heights)
    for part, figure, height in zip(parts[:, 0], figures, heights, strict=True):
        _fill(part, figure, width, height)
    return made


def _fill(part: Any, figure: Figure, width: float, height: float) -> None:
    """Draw a figure in a part of a matplotlib figure, at the positions of its SVG."""
    top = _MARGIN
    for line, style in _lines(figure, width):
        top += _LINE
        part.text(_MARGIN / width, 1 - top / height, line, parse_math=False, **style)
    top += _MARGIN
    for drawing in figure.drawings:
        for chart, (left, above) in zip(drawing.charts, Layout.corners(drawing), strict=True):
            bottom = height - top - above - chart.height
            box = (_MARGIN + left, bottom, chart.width, chart.height)
            sides = (width, height, width, height)
            ax = part.add_axes([of / side for of, side in zip(box, sides, strict=True)])
            draw_chart(chart, ax, is_placed=True)
            ax.tick_params(labelleft=not chart.y.names or chart is drawing.charts[0])
        top += _height(drawing)


def _lines(figure: Figure, width: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of the title and the caption with their style."""
    most = int((width - 2 * _MARGIN) / _CHARACTER)
    for line in wrap(figure.title, most):
        yield line, {"fontsize": 12, "weight": "bold"}
    for line in wrap(figure.caption, most):
        yield line, {"fontsize": 9, "color": colors()["soft"]}


def _width(figures: Sequence[Figure]) -> float:
    widths = [Layout.of(one).width for figure in figures for one in figure.drawings]
    return max([_LEAST, *widths]) + 2 * _MARGIN


def _height(drawing: Drawing) -> float:
    """Height of a drawing, whose legend has two columns, with the margin below."""
    legends = [-(-len(legend_of(chart)) // _COLUMNS) * _LINE for chart in drawing.charts]
    below = max(chart.height for chart in drawing.charts) + 60 + max(legends)
    return max(Layout.of(drawing).height, below if max(legends) else 0.0) + _MARGIN


def image(figures: Sequence[Figure], suffix: str, path: str | os.PathLike[str]) -> bytes:
    """Encode figures as a PNG or PDF file; equal figures give equal bytes.

    Parameters
    ----------
    figures : sequence of Figure
        The figures.
    suffix : str
        ``".png"`` or ``".pdf"``.
    path : path
        File, which is named in errors.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    kind = suffix.removeprefix(".")
    doing = f"{path}: a plot as {kind.upper()}"
    agg = import_extra("matplotlib.backends.backend_agg", doing, EXTRA)
    made = picture(figures)
    agg.FigureCanvasAgg(made)
    content = io.BytesIO()
    undated = {"CreationDate": None} if kind == "pdf" else {}
    made.savefig(content, format=kind, dpi=_DOTS, metadata=undated)
    return content.getvalue()
