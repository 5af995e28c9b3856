"""Packages that only some inputs need, imported where they do."""

from __future__ import annotations

from typing import Any

from valor_core.errors import MissingExtraError


def png_image_file(doing: str) -> Any:
    """Pillow's class of PNG files.

    Parameters
    ----------
    doing : str
        What it is needed for, as the message begins that says it is missing.

    Raises
    ------
    MissingExtraError
        If Pillow is not installed.
    """
    try:
        from PIL.PngImagePlugin import PngImageFile
    except ImportError as error:
        raise _missing(doing, "Pillow", "images") from error
    return PngImageFile


def rasterio(doing: str) -> Any:
    """The package rasterio.

    Parameters
    ----------
    doing : str
        What it is needed for, as the message begins that says it is missing.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        import rasterio
        import rasterio.features
    except ImportError as error:
        raise _missing(doing, "rasterio", "raster") from error
    return rasterio


def _missing(doing: str, package: str, extra: str) -> MissingExtraError:
    return MissingExtraError(
        f"segmentation: {doing} needs {package}, which is not installed",
        f"Install it with: python -m pip install 'valor-segmentation[{extra}]'",
    )
