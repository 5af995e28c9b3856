"""Reader of GeoTIFFs, window by window."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from valor_core.errors import ReadError, short_repr
from valor_core.kernels import thread_count
from valor_core.packages import import_extra
from valor_core.schemas.segmentation import Image, LabelImage, Legend, SegmentationBatch
from valor_segmentation.parameters.readers import GeotiffParameters
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    changed,
    check_shapes,
    described,
    pairs_of,
    parts,
    values_of,
)
from valor_segmentation.readers.legends import (
    FoundLabels,
    ValueLabels,
    value_labels,
    with_background,
)
from valor_segmentation.readers.tiff_blocks import TiffBlocks

COARSE = 1 << 26
"""Minimum number of pixels in a row of blocks for a warning."""

_FEW = 3  # rasters whose values are read first to name labels
_CACHE_MEGABYTES = 32
_OFFSET = 0.01  # largest distance of the corners of two rasters in pixels, to allow for rounding

_opening = threading.Lock()  # for the filters of warnings, which all threads share


@define
class RasterPixels:
    """Pixels of one band of a raster, read on demand.

    The file stays open from the first read to the last row: a compressed file without blocks would
    be decoded from its start each time. One thread reads it at a time.

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
    is_masked : bool
        Whether a mask or an alpha band, which the reader ignores, hides pixels.
    """

    path: Path
    band: int
    shape: tuple[int, int]
    strip_rows: int
    is_masked: bool = False
    _source: Any = field(default=None, init=False, eq=False, repr=False)
    _blocks: TiffBlocks | None = field(default=None, init=False, eq=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return RasterPixels, (self.path, self.band, self.shape, self.strip_rows, self.is_masked)

    @property
    def is_coarse(self) -> bool:
        """True if one row of blocks needs much memory."""
        return self.strip_rows * self.shape[1] > COARSE

    def read(self, first: int, last: int) -> Image:
        """Rows of the band.

        Raises
        ------
        ReadError
            If the file is damaged, or its size has changed.
        """
        window = ((first, last), (0, self.shape[1]))
        with _gdal(self.path) as package:
            if self._blocks is None:
                self._source = self._opened(package)
                self._blocks = TiffBlocks(self.path, self._source, self.band)
            self._blocks.verify(last)
            values: Image = self._source.read(self.band, window=window)
        if last >= self.shape[0]:
            self._source.close()
            self._source = self._blocks = None
        return values

    def _opened(self, package: Any) -> Any:
        source = _open(package, self.path)
        if (source.height, source.width) != self.shape:
            found = f"{source.height:,} by {source.width:,}"
            source.close()
            raise changed(self.path, self.shape, found)
        return source


@frozen
class Raster:
    """Band of a raster and its georeference.

    Parameters
    ----------
    pixels : RasterPixels
        Its pixels.
    nodata : int or None
        Value of pixels without data.
    crs : str or None
        Coordinate system, as GDAL writes it.
    transform : tuple of float
        Six coefficients of the transform from columns and rows to coordinates.
    """

    pixels: RasterPixels
    nodata: int | None
    crs: str | None
    transform: tuple[float, ...]

    @classmethod
    def read(cls, path: Path, band: int | None) -> Raster:
        """Return the header of a file.

        Raises
        ------
        ReadError
            If the file is no raster, or the band is missing, ambiguous, or has no whole numbers.
        """
        with opened(path) as source:
            band = _only_band(source, path) if band is None else band
            _check_band(source, path, band)
            flags = {flag.name for flag in source.mask_flag_enums[band - 1]}
            is_masked = bool(flags & {"per_dataset", "alpha"})
            rows, _ = source.block_shapes[band - 1]
            shape = source.height, source.width
            pixels = RasterPixels(path, band, shape, rows, is_masked)
            crs = source.crs.to_string() if source.crs else None
            nodata = _whole(source.nodatavals[band - 1])
            return cls(pixels, nodata, crs, tuple(source.transform)[:6])

    def check_place(self, other: Raster) -> None:
        """Raise a `ReadError` if another raster of the same size has another georeference.

        Raises
        ------
        ReadError
            Names both files and their values.
        """
        self._check_same(other, "the coordinate system", str(self.crs), str(other.crs))
        if _distance(self, other) > _OFFSET:
            expected, found = (
                ", ".join(f"{v:.12g}" for v in one.transform) for one in (self, other)
            )
            self._check_same(other, "the transform", expected, found)

    def _check_same(self, other: Raster, what: str, expected: str, found: str) -> None:
        if expected != found:
            raise ReadError(
                f"{other.pixels.path}: expected {what} of {self.pixels.path}, {expected}, "
                f"found {found}",
                "Warp one onto the grid of the other, or set data.georeference to ignore.",
            )


def labels_in_file(path: Path) -> list[int]:
    """Return the values of the only band of a file, except nodata.

    Raises
    ------
    ReadError
        If the file has several bands, or cannot be read.
    """
    raster = Raster.read(path, None)
    return sorted(values_of(raster.pixels) - {raster.nodata})


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a raster.

    Raises
    ------
    ReadError
        If the file cannot be opened, or is damaged.
    """
    with _gdal(path) as package, _open(package, path) as source:
        yield source


@contextmanager
def _gdal(path: Path) -> Iterator[Any]:
    """Configure rasterio: a small GDAL cache, and its errors as `ReadError`."""
    extra = "valor-segmentation[raster]"
    package = import_extra("rasterio", f"segmentation: reading {path}", extra)
    with package.Env(GDAL_CACHEMAX=_CACHE_MEGABYTES):
        try:
            yield package
        except (
            package.errors.RasterioError,
            package._err.CPLE_BaseError,  # includes errors that GDAL raises itself
            ValueError,  # of tags that are not text
        ) as error:
            found = error.__cause__ or error
            raise ReadError(f"{path}: expected a whole raster, found: {found}") from error


def _open(package: Any, path: Path) -> Any:
    with _opening, warnings.catch_warnings():
        warnings.simplefilter("ignore", package.errors.NotGeoreferencedWarning)
        return package.open(path, NUM_THREADS=str(thread_count()))


def _only_band(source: Any, path: Path) -> int:
    """Return the only band that is not an alpha band."""
    bands = [i for i, kind in enumerate(source.colorinterp, 1) if kind.name != "alpha"]
    if len(bands) != 1:
        raise ReadError(
            f"{path}: expected one band of labels, found {len(bands):,}",
            "Set data.groundtruth_band and data.prediction_band.",
        )
    return bands[0]


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
            f"Convert it: gdal_translate -ot Int32 {short_repr(path.name)} labels.tif",
        )


def _whole(nodata: float | None) -> int | None:
    """Return the nodata value if it is a whole number."""
    return int(nodata) if nodata is not None and float(nodata).is_integer() else None


def _distance(one: Raster, other: Raster) -> float:
    """Return the greatest distance between the corners of two rasters, in pixels of the first."""
    a, b, _, d, e, _ = one.transform
    height, width = one.pixels.shape
    area = a * e - b * d
    if area == 0:
        return 0.0 if one.transform == other.transform else float("inf")
    pairs = zip(one.transform, other.transform, strict=True)
    u, v, w, x, y, z = (theirs - expected for expected, theirs in pairs)
    far = 0.0
    for row, column in ((0, 0), (0, width), (height, 0), (height, width)):
        east, north = u * column + v * row + w, x * column + y * row + z
        across, down = (e * east - b * north) / area, (a * north - d * east) / area
        far = max(far, abs(across), abs(down))
    return far


_ENDINGS = (".tif", ".tiff")


@frozen
class GeotiffReader:
    """Reader of pairs of rasters with the same georeference.

    Metrics that count pixels hold a few blocks of both files at a time, for files of any size.

    Parameters
    ----------
    parameters : GeotiffParameters
        Folders or files, and labels of values.
    task : str
        Always ``"segmentation"``.
    """

    parameters: GeotiffParameters
    task: str

    _labels: ValueLabels | FoundLabels = field(init=False, eq=False, repr=False)

    @_labels.default
    def _named(self) -> ValueLabels | FoundLabels:
        chosen = self.parameters
        named = value_labels(chosen.labels, chosen.values, chosen.ignore, chosen.label_key)
        if named is not None:
            return named
        return FoundLabels.of_sample(self._sample(), chosen.ignore, chosen.label_key)

    def partitions(self) -> Sequence[Pairs]:
        """Return partitions of several images each."""
        chosen = self.parameters
        endings = (_ENDINGS, _ENDINGS)
        pairs = pairs_of(chosen.groundtruths, chosen.predictions, endings, chosen.missing)
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """Yield the batch of one part; pixels are read on demand."""
        if isinstance(self._labels, ValueLabels):
            yield self._batch(partition.pairs, self._labels)
            return
        for pair in partition.pairs:
            sides = self._rasters(pair)
            values = self._values(*sides)
            yield self._batch([pair], self._labels.labels_of(values, f"image {pair.uid!r}"))

    def _batch(self, pairs: Sequence[Pair], meaning: ValueLabels) -> SegmentationBatch:
        items = [self._item(pair, meaning) for pair in pairs]
        batch = batch_of(items, meaning.labels, [pair.facts for pair in pairs])
        return evolve(batch, left_out=_left_out(items))

    def _sample(self) -> set[int]:
        """Values of the first images."""
        found: set[int] = set()
        for pair in islice(chain.from_iterable(part.pairs for part in self.partitions()), _FEW):
            found |= self._values(*self._rasters(pair))
        return found

    def _rasters(self, pair: Pair) -> tuple[Raster | None, Raster | None]:
        chosen = self.parameters
        true = _raster(pair.groundtruth, chosen.groundtruth_band)
        return true, _raster(pair.prediction, chosen.prediction_band)

    def _values(self, *rasters: Raster | None) -> set[int]:
        """Values of rasters that may be labels; nodata is none."""
        found: set[int] = set()
        for raster in filter(None, rasters):
            found |= values_of(raster.pixels) - {raster.nodata}
        return found

    def _item(self, pair: Pair, meaning: ValueLabels) -> Item:
        chosen = self.parameters
        true, predicted = self._rasters(pair)
        maps = (
            LabelImage(true.pixels, self._true_legend(true, meaning)) if true else None,
            LabelImage(predicted.pixels, _with_background(meaning.prediction, predicted))
            if predicted
            else None,
        )
        check_shapes(pair.groundtruth, pair.prediction, *maps)
        if true and predicted and chosen.georeference == "check":
            true.check_place(predicted)
        return pair.uid, *maps

    def _true_legend(self, raster: Raster, meaning: ValueLabels) -> Legend:
        if raster.nodata is None:
            return meaning.groundtruth
        if self.parameters.nodata == "background":
            return _with_background(meaning.groundtruth, raster)
        return meaning.ignoring(raster.nodata, str(raster.pixels.path))


_COARSE = (
    f"rasters are read in parts of more than {COARSE:,} pixels, since their blocks are that high; "
    "tiles take less memory: gdal_translate -co TILED=YES"
)
_MASKED = (
    "rasters have a mask or an alpha band, and what it hides counts all the same; to leave it out, "
    "make it nodata: gdalwarp -dstnodata 255"
)


def _left_out(items: Sequence[Item]) -> dict[str, int]:
    """Return warnings of rasters that cannot be read in small parts or that hide pixels."""
    pixels = [one.pixels for _, *sides in items for one in sides if one is not None]
    rasters = [one for one in pixels if isinstance(one, RasterPixels)]
    counts = {
        _COARSE: sum(one.is_coarse for one in rasters),
        _MASKED: sum(one.is_masked for one in rasters),
    }
    return {what: count for what, count in counts.items() if count}


def _raster(path: Path | None, band: int | None) -> Raster | None:
    return None if path is None else Raster.read(path, band)


def _with_background(legend: Legend, raster: Raster) -> Legend:
    """Add the nodata value to a legend as background, unless it has a label."""
    return legend if raster.nodata is None else with_background(legend, raster.nodata)
