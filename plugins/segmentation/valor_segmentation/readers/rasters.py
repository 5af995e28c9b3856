"""Rasters: what a GeoTIFF says of itself, and its pixels read strip by strip."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ReadError, shown
from valor_core.schemas.pixels import Image
from valor_core.threads import thread_count
from valor_segmentation.extras import rasterio

_CACHE_MEGABYTES = 32
_OFFSET = 0.01  # pixels by which the corners of two rasters may be apart: what rounding does

_opening = threading.Lock()  # for the filters of warnings, which all threads share


@frozen
class RasterPixels:
    """Pixels of one band of a raster, which stay in its file until they are asked for.

    Parameters
    ----------
    path : Path
        The file.
    band : int
        The band; the first is 1.
    shape : (int, int)
        Height and width.
    strip_rows : int
        Height of the file's blocks.
    """

    path: Path
    band: int
    shape: tuple[int, int]
    strip_rows: int

    def read(self, first: int, last: int) -> Image:
        """Rows of the band.

        Raises
        ------
        ReadError
            If the file is broken there.
        """
        with opened(self.path) as source:
            window = ((first, last), (0, self.shape[1]))
            values: Image = source.read(self.band, window=window)
        return values


@frozen
class Raster:
    """A band of a raster, and where it lies.

    Parameters
    ----------
    pixels : RasterPixels
        Its pixels.
    nodata : int or None
        Value of pixels without data.
    crs : str or None
        Coordinate system, as GDAL writes it.
    transform : tuple of float
        The six numbers that make coordinates of columns and rows.
    """

    pixels: RasterPixels
    nodata: int | None
    crs: str | None
    transform: tuple[float, ...]

    @classmethod
    def read(cls, path: Path, band: int) -> Raster:
        """What the head of a file says.

        Raises
        ------
        ReadError
            If it is no raster, or the band is missing or has no whole numbers.
        """
        with opened(path) as source:
            _check_band(source, path, band)
            rows, _ = source.block_shapes[band - 1]
            pixels = RasterPixels(path, band, (source.height, source.width), rows)
            crs = source.crs.to_string() if source.crs else None
            nodata = _whole(source.nodatavals[band - 1])
            return cls(pixels, nodata, crs, tuple(source.transform)[:6])

    def check_place(self, other: Raster) -> None:
        """Raise a `ReadError` unless another raster of the same size lies in the same place.

        Raises
        ------
        ReadError
            Names both files and what they say.
        """
        self._check_same(other, "the coordinate system", str(self.crs), str(other.crs))
        if _distance(self, other) > _OFFSET:
            mine, others = (", ".join(f"{v:.12g}" for v in one.transform) for one in (self, other))
            self._check_same(other, "the transform", mine, others)

    def _check_same(self, other: Raster, what: str, mine: str, others: str) -> None:
        if mine != others:
            raise ReadError(
                f"{other.pixels.path}: expected {what} of {self.pixels.path}, {mine}, "
                f"found {others}",
                "Warp one onto the grid of the other, or set data.georeference to ignore.",
            )


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A raster to read from, with little of it kept in GDAL's cache.

    Raises
    ------
    ReadError
        If it cannot be opened, or what is read of it is broken.
    """
    package = rasterio(f"reading {path}")
    with package.Env(GDAL_CACHEMAX=_CACHE_MEGABYTES):
        try:
            with _open(package, path) as source:
                yield source
        except package.errors.RasterioError as error:
            found = error.__cause__ or error
            raise ReadError(f"{path}: expected a whole raster, found: {found}") from error


def _open(package: Any, path: Path) -> Any:
    with _opening, warnings.catch_warnings():
        warnings.simplefilter("ignore", package.errors.NotGeoreferencedWarning)
        return package.open(path, NUM_THREADS=str(thread_count()))


def _check_band(source: Any, path: Path, band: int) -> None:
    if band > source.count:
        raise ReadError(
            f"{path}: expected a band {band}, found {source.count:,} "
            f"{'band' if source.count == 1 else 'bands'}"
        )
    kind = source.dtypes[band - 1]
    if "int" not in kind or "complex" in kind:
        raise ReadError(
            f"{path}, band {band}: expected whole numbers, found {kind}",
            f"Convert it: gdal_translate -ot Int32 {shown(path.name)} labels.tif",
        )


def _whole(nodata: float | None) -> int | None:
    """The nodata value, if pixels that are whole numbers can have it."""
    return int(nodata) if nodata is not None and float(nodata).is_integer() else None


def _distance(one: Raster, other: Raster) -> float:
    """How far apart the corners of two rasters are, in pixels of the first."""
    a, b, _, d, e, _ = one.transform
    height, width = one.pixels.shape
    area = a * e - b * d
    if area == 0:
        return 0.0 if one.transform == other.transform else float("inf")
    pairs = zip(one.transform, other.transform, strict=True)
    u, v, w, x, y, z = (theirs - mine for mine, theirs in pairs)
    far = 0.0
    for row, column in ((0, 0), (0, width), (height, 0), (height, width)):
        east, north = u * column + v * row + w, x * column + y * row + z
        across, down = (e * east - b * north) / area, (a * north - d * east) / area
        far = max(far, abs(across), abs(down))
    return far
