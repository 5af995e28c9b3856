"""Pixels that are not what they were said to be are named; no kernel reads beyond them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from attrs import frozen
from valor_segmentation.parameters.readers import GeotiffParameters, NpyParameters
from valor_segmentation.readers.geotiff import GeotiffReader
from valor_segmentation.readers.npy import NpyReader

from valor_core.errors import ReadError
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch

from .support import results_of

METRICS = ("Counts", "Examples", "BoundaryIOU", "PanopticQuality", "Hausdorff")
SHAPE = (400, 300)


def batch_of(reader: type[Any], parameters: type[Any], folder: Path) -> SegmentationBatch:
    sides = {side: folder / side for side in ("groundtruths", "predictions")}
    opened = reader(parameters(labels=("cat",), **sides), "segmentation")
    (part,) = opened.partitions()
    (batch,) = opened.read(part)
    assert isinstance(batch, SegmentationBatch)
    return batch


@pytest.mark.parametrize("metric", METRICS)
def test_a_prediction_file_that_became_shorter_than_the_truth_is_named(
    metric: str, tmp_path: Path
) -> None:
    for side in ("groundtruths", "predictions"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.ones(SHAPE, np.uint8))
    batch = batch_of(NpyReader, NpyParameters, tmp_path)
    path = tmp_path / "predictions" / "a.npy"
    np.save(path, np.ones((10, 300), np.uint8))

    with pytest.raises(
        ReadError, match="expected 400 by 300 whole numbers as at first, found array of uint8,"
    ):
        results_of(batch, metric)


def test_a_file_that_became_one_of_scores_is_named(tmp_path: Path) -> None:
    for side in ("groundtruths", "predictions"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.ones(SHAPE, np.uint8))
    batch = batch_of(NpyReader, NpyParameters, tmp_path)
    np.save(tmp_path / "groundtruths" / "a.npy", np.ones(SHAPE))

    with pytest.raises(
        ReadError, match="expected 400 by 300 whole numbers as at first, found array of float64,"
    ):
        results_of(batch, "Counts")


def test_a_raster_that_became_smaller_is_named(tmp_path: Path) -> None:
    def write(side: str, height: int) -> Path:
        path = tmp_path / side / "a.tif"
        path.parent.mkdir(exist_ok=True)
        georeference = {"transform": rasterio.Affine(1, 0, 5, 0, -1, 9), "crs": "EPSG:32632"}
        kind = {"driver": "GTiff", "dtype": "uint8", "count": 1, "height": height, "width": 300}
        with rasterio.open(path, "w", **kind, **georeference) as target:
            target.write(np.ones((height, 300), np.uint8), 1)
        return path

    write("groundtruths", 400)
    write("predictions", 400)
    batch = batch_of(GeotiffReader, GeotiffParameters, tmp_path)
    write("predictions", 10)

    with pytest.raises(
        ReadError, match="expected 400 by 300 whole numbers as at first, found 10 by 300"
    ):
        results_of(batch, "Counts")


@frozen(eq=False)
class Lying:
    """Custom pixels that return another array than declared."""

    found: Any
    shape: tuple[int, int] = SHAPE
    strip_rows: int = 400

    def read(self, first: int, last: int) -> Any:
        return self.found


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("side", ["groundtruth", "prediction"])
@pytest.mark.parametrize(
    "found",
    [
        np.ones((10, 300), np.uint8),
        np.ones((400, 301), np.uint8),
        np.ones(SHAPE[0] * SHAPE[1], np.uint8),
        np.ones(SHAPE),
        np.ones(SHAPE, object),
        [[1]],
        None,
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pixels_that_give_other_rows_than_asked_for_are_named(
    metric: str, side: str, found: Any
) -> None:
    image = np.ones(SHAPE, np.uint8)
    sides = {"groundtruth": image, "prediction": image} | {side: Lying(found)}
    item = Segmentation("a", **sides, labels=["cat"])

    with pytest.raises(ReadError, match="expected 400 by 300 whole numbers from row 0 on, got"):
        results_of([item], metric)
