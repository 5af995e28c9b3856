"""Reader of GeoTIFFs, which stay in their files until their rows are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve, frozen

from valor_core.schemas.segmentation import LabelImage, Legend, SegmentationBatch
from valor_segmentation.parameters.readers.geotiff import GeotiffParameters
from valor_segmentation.readers.facts import described
from valor_segmentation.readers.file_pairs import (
    Item,
    Pair,
    Pairs,
    batch_of,
    check_shapes,
    pairs_of,
    parts,
)
from valor_segmentation.readers.legends import ResolvedName, meaning_of, with_background
from valor_segmentation.readers.rasters import COARSE, Raster, RasterPixels

_ENDINGS = (".tif", ".tiff")


@frozen
class GeotiffReader:
    """Reads pairs of rasters that lie in the same place.

    Metrics that count pixels hold some blocks of both files at a time, however large these are.

    Parameters
    ----------
    parameters : GeotiffParameters
        Folders or files, and what values mean.
    task : str
        Always ``"segmentation"``.
    """

    parameters: GeotiffParameters
    task: str

    def __attrs_post_init__(self) -> None:
        self._meaning()  # a wrong parameter is found before any work is done

    def partitions(self) -> Sequence[Pairs]:
        """Some images each."""
        chosen = self.parameters
        endings = (_ENDINGS, _ENDINGS)
        pairs = pairs_of(chosen.groundtruths, chosen.predictions, endings, chosen.missing)
        return parts(described(pairs, chosen.metadata, chosen.uid), chosen.partition_images)

    def read(self, partition: Pairs) -> Iterator[SegmentationBatch]:
        """The batch of one part, whose pixels are still in the files."""
        meaning = self._meaning()
        items = [self._item(pair, meaning) for pair in partition.pairs]
        batch = batch_of(items, meaning.labels, [pair.facts for pair in partition.pairs])
        yield evolve(batch, left_out=_left_out(items))

    def _meaning(self) -> ResolvedName:
        chosen = self.parameters
        return meaning_of(chosen.labels, chosen.values, chosen.ignore, chosen.label_key)

    def _item(self, pair: Pair, meaning: ResolvedName) -> Item:
        chosen = self.parameters
        true = _raster(pair.groundtruth, chosen.groundtruth_band)
        seen = _raster(pair.prediction, chosen.prediction_band)
        maps = (
            LabelImage(true.pixels, self._true_legend(true, meaning)) if true else None,
            LabelImage(seen.pixels, _with_background(meaning.prediction, seen)) if seen else None,
        )
        check_shapes(pair.groundtruth, pair.prediction, *maps)
        if true and seen and chosen.georeference == "check":
            true.check_place(seen)
        return pair.uid, *maps

    def _true_legend(self, raster: Raster, meaning: ResolvedName) -> Legend:
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
    """How many rasters cannot be read in small parts, and how many hide pixels."""
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
    """A legend under which the raster's nodata value is background, unless it is a label's."""
    return legend if raster.nodata is None else with_background(legend, raster.nodata)
