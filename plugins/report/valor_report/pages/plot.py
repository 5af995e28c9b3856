"""Plots of results for notebooks and files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Final

from attrs import frozen

from valor_core.errors import ReportError, printable_lines
from valor_core.packages import import_extra
from valor_core.results import Result
from valor_core.results.files import write_text
from valor_report.pages import plots
from valor_report.pages.assets import STYLE
from valor_report.pages.figures import MOST_LABELS_DRAWN, Figure, drawn, numbers_drawn
from valor_report.pages.templates import fragment

_LEAST: Final = 460.0
_MOST: Final = 1000.0
_MARGIN: Final = 14.0
_LINE: Final = 18.0
_CHARACTER: Final = 6.4
"""Approximate width of a character in a caption."""
_SCALE: Final = 3.0
"""Pixels of a PNG per pixel of the drawing."""
_VIEW_BOX: Final = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
_SUFFIXES: Final = (".svg", ".html", ".png")


def _colors() -> dict[str, str]:
    """Colors and fonts of the light style."""
    light = STYLE[: STYLE.index("@media")]
    return dict(re.findall(r"--([\w-]+): ([^;]+);", light))


def _plain(style: str) -> str:
    """Replace custom properties in a style, because some SVG viewers do not support them."""
    colors = _colors()
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colors[found[1]].replace('"', "'"), style)


@frozen
class Plot:
    """Drawings of results, which notebooks display and `save` writes to a file.

    Parameters
    ----------
    figures : tuple of Figure
        One figure per result that can be drawn.
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
        return fragment("drawings.html", drawings=self._drawings)

    @property
    def _drawings(self) -> list[str]:
        return [Plot((figure,)).to_svg() for figure in self.figures]

    def to_svg(self) -> str:
        """Render the figures one below the other as a self-contained SVG on white."""
        drawings = [one for figure in self.figures for one in figure.drawings if one]
        widest = max(_size(one)[0] for one in drawings) + 2 * _MARGIN
        width = min(max(widest, _LEAST), _MOST)
        parts: list[str] = []
        top = _MARGIN
        for figure in self.figures:
            for text, style in _lines(figure, width):
                top += _LINE
                parts.append(f'<text x="{_MARGIN:g}" y="{top:g}" {style}>{escape(text)}</text>')
            top += _MARGIN
            for drawing in filter(None, figure.drawings):
                placed, height = _placed(drawing, top, width)
                parts.append(placed)
                top += height + _MARGIN
        colors = _colors()
        style = _plain(
            plots.STYLE.replace("width: 100%; height: auto; ", "")
            + "svg.valor text { font-family: var(--sans); fill: var(--ink); }\n"
        )
        return printable_lines(
            '<svg class="valor" xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {width:g} {top:g}" width="{width:g}" height="{top:g}">\n'
            f"<style>{style}</style>\n"
            f'<rect width="100%" height="100%" fill="{colors["sheet"]}"/>\n'
            + "\n".join(parts)
            + "\n</svg>\n"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawings to a file.

        Parameters
        ----------
        path : path
            File with the suffix ``.svg``, ``.html`` or ``.png``.

        Raises
        ------
        ReportError
            If the suffix is not supported, or the file cannot be written.
        MissingExtraError
            If the suffix is ``.png`` and CairoSVG is not installed.
        """
        path = Path(path)
        suffix = path.suffix.casefold()
        if suffix not in _SUFFIXES:
            raise ReportError(f"{path}: expected a name in {', '.join(_SUFFIXES)}")
        if suffix == ".png":
            cairo = import_extra("cairosvg", f"{path}: a plot as PNG", "cairosvg")
            _write(path, cairo.svg2png(bytestring=self.to_svg().encode(), scale=_SCALE))
            return
        if suffix == ".svg":
            write_text(path, self.to_svg())
        else:
            write_text(path, f"{fragment('plot.html', drawings=self._drawings)}\n")


def plot(results: Iterable[Result]) -> Plot:
    """Plot the curves and matrices of results, or their numbers as bars if they have neither.

    Raises
    ------
    ReportError
        If no result can be drawn.

    Examples
    --------
    >>> counts = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
    >>> plot([Result(type="ConfusionMatrix", value=counts)])
    <Plot: ConfusionMatrix; a notebook shows it, plot.save('plot.svg') writes it>
    """
    results = list(results)
    figures = tuple(figure for _, figure in drawn(results)) or numbers_drawn(results)
    if not figures:
        types = ", ".join(dict.fromkeys(result.type for result in results)) or "no result"
        raise ReportError(
            f"plot: expected curves, matrices or other values to draw, got {types}",
            "Print numbers with print(report); a matrix of more than "
            f"{MOST_LABELS_DRAWN} labels is drawn by report.save('report.html').",
        )
    return Plot(figures)


def _placed(drawing: str, top: float, width: float) -> tuple[str, float]:
    """Move a drawing to `top`, scaled down to the width; also return its height."""
    natural, height = _size(drawing)
    scale = min(1.0, (width - 2 * _MARGIN) / natural)
    size = f'width="{natural * scale:g}" height="{height * scale:g}"'
    return drawing.replace("<svg ", f'<svg x="{_MARGIN:g}" y="{top:g}" {size} ', 1), height * scale


def _lines(figure: Figure, width: float) -> Iterator[tuple[str, str]]:
    """Lines of text above a drawing with their SVG attributes."""
    most = int((width - 2 * _MARGIN) / _CHARACTER)
    for line in wrap(figure.title, most):
        yield line, 'font-size="14" font-weight="bold"'
    for line in wrap(figure.caption, most):
        yield line, f'font-size="12" style="fill: {_colors()["soft"]}"'


def _size(drawing: str) -> tuple[float, float]:
    found = _VIEW_BOX.search(drawing)
    assert found is not None
    return float(found[1]), float(found[2])


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error
