"""Packages that only some geometry needs, imported where it does."""

from __future__ import annotations

from typing import Any

from valor_core.errors import MissingExtraError


def shapely(doing: str) -> Any:
    """The package shapely.

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
        import shapely
    except ImportError as error:
        raise _missing(doing, "shapely", "polygons") from error
    return shapely


def rasterio_features(doing: str) -> Any:
    """The module rasterio.features.

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
        import rasterio.features
    except ImportError as error:
        raise _missing(doing, "rasterio", "raster") from error
    return rasterio.features


def _missing(doing: str, package: str, extra: str) -> MissingExtraError:
    return MissingExtraError(
        f"geometry: {doing} needs {package}, which is not installed",
        f"Install it with: python -m pip install 'valor-detection[{extra}]'",
    )
