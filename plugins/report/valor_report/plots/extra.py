"""Extra that plots as pictures need."""

from __future__ import annotations

from typing import Final

from valor_core.packages import import_extra

EXTRA: Final = "valor-report[plot]"

IMAGES: Final = (".png", ".pdf")
"""Suffixes of files that matplotlib draws."""


def check_matplotlib(suffix: str, doing: str) -> None:
    """Raise a `MissingExtraError` if files of a suffix are drawn by matplotlib, which is missing.

    Parameters
    ----------
    suffix : str
        Suffix of the file.
    doing : str
        Beginning of the error message.

    Examples
    --------
    >>> check_matplotlib(".svg", "output: a.svg: a plot")
    """
    if suffix in IMAGES:
        import_extra("matplotlib", doing, EXTRA)
