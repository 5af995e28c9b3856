"""Plots of results for notebooks, files and axes of matplotlib."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from attrs import frozen

from valor_core.errors import ReportError, short_repr
from valor_core.results import Result
from valor_core.results.files import write_text
from valor_core.results.results import Results
from valor_report.pages.templates import fragment
from valor_report.plots import axes
from valor_report.plots.charts import Figure
from valor_report.plots.extra import IMAGES
from valor_report.plots.figures import chosen_drawn, drawn, numbers_drawn
from valor_report.plots.layout import Layout
from valor_report.plots.matrix_figure import MOST_LABELS_DRAWN, checked_normalize
from valor_report.plots.operating_points import chosen_points
from valor_report.plots.style import STYLE
from valor_report.tables.structures import curves

_LEAST: Final = 460.0
_MOST: Final = 1000.0
_MARGIN: Final = 14.0
_LINE: Final = 18.0
_CHARACTER: Final = 6.4
"""Approximate width of a character in a caption."""
_SUFFIXES: Final = (".svg", ".html", *IMAGES)


def _plain(style: str) -> str:
    """Replace custom properties in a style, because some SVG viewers do not support them."""
    colors = axes.colors()
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colors[found[1]].replace('"', "'"), style)


@frozen
class SheetLine:
    """Line of text above a drawing."""

    text: str
    y: float
    size: int
    is_bold: bool = False
    style: str = ""


@frozen(kw_only=True)
class Sheet:
    """Figures one below the other on white, as a self-contained SVG.

    Parameters
    ----------
    width, height : float
        Size in pixels.
    lines : tuple of SheetLine
        Titles and captions.
    placed : tuple of (Layout, dict)
        Drawings with their position and size as SVG attributes.
    """

    width: float
    height: float
    lines: tuple[SheetLine, ...]
    placed: tuple[tuple[Layout, dict[str, str]], ...]
    margin: float = _MARGIN

    @property
    def style(self) -> str:
        """Style sheet with the colors of light pages."""
        return _plain(
            STYLE.replace("width: 100%; height: auto; ", "")
            + "svg.valor text { font-family: var(--sans); fill: var(--ink); }\n"
        )

    @property
    def background(self) -> str:
        """Color below the drawings."""
        return axes.colors()["sheet"]

    @classmethod
    def of(cls, figures: Sequence[Figure]) -> Sheet:
        """Place figures one below the other; wide drawings are scaled down."""
        held = [(figure, list(map(Layout.of, figure.drawings))) for figure in figures]
        widest = max(layout.width for _, layouts in held for layout in layouts)
        width = min(max(widest + 2 * _MARGIN, _LEAST), _MOST)
        lines, placed, top = [], [], _MARGIN
        for figure, layouts in held:
            for text, size in _lines(figure, width):
                top += _LINE
                is_title = size > 12
                style = "" if is_title else f"fill: {axes.colors()['soft']}"
                lines.append(SheetLine(text, top, size, is_title, style))
            top += _MARGIN
            for layout in layouts:
                scale = min(1.0, (width - 2 * _MARGIN) / layout.width)
                wide, high = layout.width * scale, layout.height * scale
                box = {"x": _MARGIN, "y": top, "width": wide, "height": high}
                placed.append((layout, {name: f"{value:g}" for name, value in box.items()}))
                top += high + _MARGIN
        return cls(width=width, height=round(top, 1), lines=tuple(lines), placed=tuple(placed))


def _lines(figure: Figure, width: float) -> Iterator[tuple[str, int]]:
    """Yield the lines of text above a drawing with their font size."""
    most = int((width - 2 * _MARGIN) / _CHARACTER)
    yield from ((line, 14) for line in wrap(figure.title, most))
    yield from ((line, 12) for line in wrap(figure.caption, most))


@frozen
class Plot:
    """Drawings of results, which notebooks display and `save` writes to a file.

    Parameters
    ----------
    figures : tuple of Figure
        Figures of the results that can be drawn.
    """

    figures: tuple[Figure, ...]

    def __repr__(self) -> str:
        titles = ", ".join(figure.title for figure in self.figures)
        return f"<Plot: {titles}; a notebook shows it, plot.save('plot.svg') writes it>"

    def _repr_svg_(self) -> str:
        """Render the figures one below the other."""
        return self.to_svg()

    def _repr_html_(self) -> str:
        """Render the figures side by side."""
        return fragment("drawings.html", sheets=self._sheets)

    @property
    def _sheets(self) -> list[Sheet]:
        return [Sheet.of([figure]) for figure in self.figures]

    def to_svg(self) -> str:
        """Render the figures one below the other as a self-contained SVG on white."""
        return f"{fragment('sheet.svg', held=Sheet.of(self.figures)).strip()}\n"

    def to_matplotlib(self) -> Any:
        """Draw the figures one below the other as a ``matplotlib.figure.Figure``.

        The figure does not belong to pyplot, and needs no display.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        return axes.picture(self.figures)

    def draw(self, ax: Any) -> Any:
        """Draw the figures on axes of matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, or sequence of them
            One for each figure.

        Returns
        -------
        matplotlib.axes.Axes, or list of them
            The given axes.

        Raises
        ------
        ReportError
            If the number of axes is not the number of figures.
        """
        found = [ax]
        if not hasattr(ax, "plot") and hasattr(ax, "__iter__"):
            found = list(getattr(ax, "flat", ax))
        if not all(hasattr(one, "plot") for one in found):
            raise ReportError(
                f"plot: ax must be axes of matplotlib, got {short_repr(ax)}",
                "Create them with: fig, ax = plt.subplots()",
            )
        count = len(self.figures)
        if len(found) != count:
            titles = ", ".join(figure.title for figure in self.figures)
            raise ReportError(
                f"plot: expected {count} axes for {titles}, got {len(found)}",
                f"Name one metric, or pass ax of: fig, ax = plt.subplots({count})",
            )
        drawn = [axes.draw(figure, one) for figure, one in zip(self.figures, found, strict=True)]
        return drawn[0] if found == [ax] else drawn

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawings to a file.

        Parameters
        ----------
        path : path
            File with the suffix ``.svg``, ``.html``, ``.png`` or ``.pdf``. The last two are drawn
            by matplotlib.

        Raises
        ------
        ReportError
            If the suffix is not supported, or the file cannot be written.
        MissingExtraError
            If the suffix is ``.png`` or ``.pdf`` and matplotlib is not installed.
        """
        path = Path(path)
        suffix = path.suffix.casefold()
        if suffix not in _SUFFIXES:
            raise ReportError(
                f"{path}: expected a name in {', '.join(_SUFFIXES)}",
                f"Name it {path.with_suffix('.svg').name}, for example.",
            )
        if suffix in IMAGES:
            _write(path, axes.image(self.figures, suffix, path))
        elif suffix == ".svg":
            write_text(path, self.to_svg())
        else:
            write_text(path, f"{fragment('plot.html', sheets=self._sheets)}\n")


def plot(
    results: Iterable[Result],
    name: str | None = None,
    *,
    ax: Any = None,
    normalize: str | None = None,
    **parameters: Any,
) -> Any:
    """Plot the curves and matrices of results, or their numbers as bars if they have neither.

    Parameters
    ----------
    results : iterable of Result
        Results, such as a report.
    name : str, optional
        Name of a metric. Defaults to all results.
    ax : matplotlib.axes.Axes, or sequence of them, optional
        Axes to draw on, one for each figure. Of a result with two figures, such as a curve and its
        measures by threshold, a single one has the first.
    normalize : {"true", "pred", "all"}, optional
        Total of which the numbers of matrices are shares: of the row, the column, or all cells.
    **parameters
        Parameters of the results; for curves, also ``label``.

    Returns
    -------
    Plot, or the given axes

    Raises
    ------
    ReportError
        If no such result exists, or none can be drawn.

    Examples
    --------
    >>> counts = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
    >>> plot([Result(type="ConfusionMatrix", value=counts)])
    <Plot: ConfusionMatrix; a notebook shows it, plot.save('plot.svg') writes it>
    """
    held = results if isinstance(results, Results) else Results(results)
    total = checked_normalize(normalize)
    found = list(_selected(held, name, parameters))
    pairs = drawn(found, normalize=total, chosen=chosen_points(held))
    if hasattr(ax, "plot") and len({id(result) for result, _ in pairs}) == 1:
        pairs = pairs[:1]
    figures = tuple(figure for _, figure in pairs)
    figures = figures or chosen_drawn(found, held) or numbers_drawn(found)
    if not figures and chosen_points(found):
        raise ReportError(
            f"plot: {found[0].type} is drawn in curves by score threshold, the report has none",
            f'Evaluate both: metrics=["{found[0].type}", "PrecisionRecallCurve"]',
        )
    if not figures:
        types = ", ".join(dict.fromkeys(result.type for result in found)) or "no result"
        raise ReportError(
            f"plot: expected curves, matrices or other values to draw, got {types}",
            "Print numbers with print(report); a matrix of more than "
            f"{MOST_LABELS_DRAWN} labels is drawn by report.save('report.html').",
        )
    made = Plot(figures)
    return made if ax is None else made.draw(ax)


def svg(report: Results) -> str:
    """Render the plots of a report one below the other, for ``report.save("plots.svg")``.

    Examples
    --------
    >>> counts = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
    >>> svg(Results([Result(type="ConfusionMatrix", value=counts)])).startswith("<svg")
    True
    """
    made: Plot = plot(report)
    return made.to_svg()


def png(report: Results) -> bytes:
    """Draw the plots of a report one below the other with matplotlib, as PNG."""
    return _drawn(report, ".png")


def pdf(report: Results) -> bytes:
    """Draw the plots of a report one below the other with matplotlib, as PDF."""
    return _drawn(report, ".pdf")


def _drawn(report: Results, suffix: str) -> bytes:
    made: Plot = plot(report)
    return axes.image(made.figures, suffix, "report")


def _selected(held: Results, name: str | None, parameters: dict[str, Any]) -> Iterable[Result]:
    """Results of a name and parameters; of curves by label, only those of a given label."""
    if not parameters:
        return held.find(name) if name else held
    label = parameters.get("label")
    if name and label is not None:
        others = {key: value for key, value in parameters.items() if key != "label"}
        of_name = held.find(name, **others)
        if all("label" not in one.parameters and curves(one.content) for one in of_name):
            return [_of_label(one, str(label)) for one in of_name]
    return held.find(name, **parameters)


def _of_label(result: Result, label: str) -> Result:
    """Curves with one label only."""
    content = result.content
    if label not in content:
        known = ", ".join(map(repr, list(content)[:5]))
        raise ReportError(
            f"plot: {result.type} has no curve of the label {label!r}",
            f"The labels are {known}{', …' if len(content) > 5 else ''}",
        )
    return Result(
        type=result.type,
        metric=result.metric,
        parameters={**result.parameters, "label": label},
        value={label: content[label]},
        slice=result.slice,
    )


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error
