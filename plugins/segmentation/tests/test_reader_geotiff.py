"""GeoTIFFs become batches whose pixels stay in their files, and what does not fit is named."""

from __future__ import annotations

import pickle
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from valor_segmentation.counting.strips import strips
from valor_segmentation.parameters.readers import GeotiffParameters
from valor_segmentation.readers.geotiff import GeotiffReader, RasterPixels

from valor_core.errors import MissingExtraError, ReadError
from valor_core.schemas.segmentation import SegmentationBatch


def from_origin(west: float, north: float, width: float, height: float) -> rasterio.Affine:
    return rasterio.Affine(width, 0, west, 0, -height, north)


TRANSFORM = from_origin(500_000, 6_000_000, 10, 10)
TILES = {"tiled": True, "blockxsize": 16, "blockysize": 16}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, *bands: Any, dtype: Any = np.uint8, **profile: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    arrays = [np.array(band, dtype) for band in bands]
    height, width = arrays[0].shape
    shape = {"height": height, "width": width, "count": len(bands), "dtype": arrays[0].dtype}
    georeference = {"crs": "EPSG:32632", "transform": TRANSFORM}
    with rasterio.open(path, "w", driver="GTiff", **shape | georeference | profile) as target:
        for number, array in enumerate(arrays, 1):
            target.write(array, number)


def batches(**parameters: Any) -> list[SegmentationBatch]:
    chosen: dict[str, Any] = {"groundtruths": Path("true"), "predictions": Path("seen")}
    chosen |= {"labels": ["cat", "dog"]} if "values" not in parameters else {}
    reader = GeotiffReader(GeotiffParameters(**chosen | parameters), "segmentation")
    return [batch for part in reader.partitions() for batch in reader.read(part)]


def codes(batch: SegmentationBatch, side: str) -> list[Any]:
    (one,) = getattr(batch.layers[0], side)
    image = one.pixels.read(0, one.pixels.shape[0])
    found: list[Any] = one.legend.codes[np.searchsorted(one.legend.values, image)].tolist()
    return found


def expect_refusal(match: str, **parameters: Any) -> None:
    with pytest.raises(ReadError, match=re.escape(match)):
        batches(**parameters)


def test_rasters_are_matched_by_name() -> None:
    write("true/a.tif", [[0, 1, 2]])
    write("seen/a.tiff", [[2, 1, 0]])
    (batch,) = batches()
    assert batch.datums.uids.tolist() == ["a"]
    assert codes(batch, "groundtruths") == [[-1, 0, 1]]
    assert codes(batch, "predictions") == [[1, 0, -1]]


def test_nodata_does_not_count_in_the_ground_truth_and_is_background_in_the_prediction() -> None:
    write("true/a.tif", [[0, 1, 255]], nodata=255)
    write("seen/a.tif", [[9, 1, 1]], nodata=9)
    (batch,) = batches()
    assert codes(batch, "groundtruths") == [[-1, 0, -2]]
    assert codes(batch, "predictions") == [[-1, 0, 0]]


def test_nodata_can_be_background() -> None:
    write("true/a.tif", [[0, 1, 255]], nodata=255)
    write("seen/a.tif", [[0, 1, 1]])
    (batch,) = batches(nodata="background")
    assert codes(batch, "groundtruths") == [[-1, 0, -1]]


def test_nodata_that_is_zero_does_not_count_either() -> None:
    write("true/a.tif", [[0, 1, 2]], nodata=0)
    write("seen/a.tif", [[0, 1, 2]], nodata=0)
    (batch,) = batches()
    assert codes(batch, "groundtruths") == [[-2, 0, 1]]
    assert codes(batch, "predictions") == [[-1, 0, 1]]


def test_nodata_that_is_a_label_is_named() -> None:
    write("true/a.tif", [[1]], nodata=2)
    write("seen/a.tif", [[1]])
    expect_refusal("expected a nodata value that is no label")


def test_signed_values_are_read() -> None:
    write("true/a.tif", [[-1, 300]], dtype=np.int16, nodata=-1)
    write("seen/a.tif", [[300, 0]], dtype=np.int32)
    (batch,) = batches(values={300: "cat"})
    assert codes(batch, "groundtruths") == [[-2, 0]]


@pytest.mark.parametrize("compress", [None, "deflate"])
def test_strips_of_files_with_other_blocks_are_the_same_pixels(compress: str | None) -> None:
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 3, (2, 100, 50))
    write("true/a.tif", true, **TILES, compress=compress)
    write("seen/a.tif", predicted, blockysize=7, compress=compress)
    (batch,) = batches()
    sides = [batch.layers[0].groundtruths[0], batch.layers[0].predictions[0]]
    pixels = [side.pixels for side in sides if side]
    assert [one.strip_rows for one in pixels] == [16, 7]
    spans = list(strips((100, 50), *pixels, most=1))
    assert spans[0] == (0, 16)
    assert spans[-1] == (96, 100)
    for array, one in zip((true, predicted), pixels, strict=True):
        read = np.concatenate([one.read(*span) for span in spans])
        assert (read == array).all()


def test_pixels_pickle_as_the_name_of_their_file() -> None:
    write("true/a.tif", np.ones((300, 300)))
    write("seen/a.tif", np.ones((300, 300)))
    (batch,) = batches()
    text = pickle.dumps(batch.layers[0])
    assert len(text) < 3000
    (one,) = pickle.loads(text).predictions
    assert one.pixels.read(299, 300).sum() == 300


def test_bands_are_chosen() -> None:
    write("true/a.tif", [[0, 0]], [[1, 2]])
    write("seen/a.tif", [[2, 2]], [[0, 0]])
    (batch,) = batches(groundtruth_band=2, prediction_band=1)
    assert codes(batch, "groundtruths") == [[0, 1]]
    assert codes(batch, "predictions") == [[1, 1]]


def test_a_coordinate_system_that_is_no_text_names_the_file() -> None:
    local = 'LOCAL_CS["our town", UNIT["metre", 1]]'
    write("true/a.tif", [[1, 2]], crs=local)
    write("seen/a.tif", [[1, 2]], crs=local)
    broken = Path("true/a.tif").read_bytes().replace(b"our town", b"our \xd1own")
    Path("true/a.tif").write_bytes(broken)

    expect_refusal("expected a whole raster, found")


def test_several_bands_without_a_chosen_one_are_rejected() -> None:
    write("true/a.tif", [[1, 2]], [[0, 0]], [[0, 0]])
    write("seen/a.tif", [[1, 2]])

    expect_refusal("expected one band of labels, found 3")


def test_a_band_that_is_not_there_is_named() -> None:
    write("true/a.tif", [[1]])
    write("seen/a.tif", [[1]])
    expect_refusal("expected a band 2, found 1 band", groundtruth_band=2)


def test_another_size_names_both_files() -> None:
    write("true/a.tif", [[1, 1]])
    write("seen/a.tif", [[1, 1, 1]])
    expect_refusal("expected 1 by 2 pixels (rows by columns)")


def test_another_coordinate_system_names_both_files() -> None:
    write("true/a.tif", [[1]])
    write("seen/a.tif", [[1]], crs="EPSG:32633")
    expect_refusal("EPSG:32632, found EPSG:32633")


def test_another_place_names_both_files() -> None:
    write("true/a.tif", [[1]])
    write("seen/a.tif", [[1]], transform=from_origin(500_005, 6_000_000, 10, 10))
    expect_refusal("expected the transform of true/a.tif, 10")
    (batch,) = batches(georeference="ignore")
    assert len(batch) == 1


def test_what_rounding_does_to_a_transform_is_let_through() -> None:
    write("true/a.tif", np.ones((9, 9)))
    write("seen/a.tif", np.ones((9, 9)), transform=from_origin(500_000.001, 6_000_000, 10, 10))
    assert len(batches()) == 1


def test_pixel_size_with_accumulating_difference_is_rejected() -> None:
    write("true/a.tif", np.ones((1, 90)))
    write("seen/a.tif", np.ones((1, 90)), transform=from_origin(500_000, 6_000_000, 10.01, 10))
    expect_refusal("expected the transform of true/a.tif, 10")


def rotated(*change: float) -> rasterio.Affine:
    """A transform with rotated pixels of 10 by 10 m, whose six numbers are changed."""
    numbers = (6, 8, 500_000, 8, -6, 6_000_000)
    return rasterio.Affine(*(a + b for a, b in zip(numbers, change, strict=True)))


# The corners of 9 by 9 pixels are 0.007 or 0.008 pixels apart.
@pytest.mark.parametrize(
    "change",
    [
        (0, 0, 0.05, 0, 0, 0.05),
        (0, 0, -0.05, 0, 0, 0.05),
        (0.2 / 9, 0, -0.1, 0, 0, 0),
        (0, 0.2 / 9, -0.1, 0, 0, 0),
        (0, 0, 0, 0.2 / 9, 0, -0.1),
        (0, 0, 0, 0, 0.2 / 9, -0.1),
    ],
)
def test_rotated_raster_less_than_a_hundredth_pixel_away_is_accepted(change: Any) -> None:
    write("true/a.tif", np.ones((9, 9)), transform=rotated(0, 0, 0, 0, 0, 0))
    write("seen/a.tif", np.ones((9, 9)), transform=rotated(*change))

    assert len(batches()) == 1


# The corners are 0.019 pixels apart in one direction and 0.006 in the other.
@pytest.mark.parametrize(
    "change",
    [
        (0, 0, 0.16, 0, 0, 0.12),
        (0, 0, 0.12, 0, 0, -0.16),
        (0.16 / 9, 0, 0, 0.12 / 9, 0, 0),
        (0, 0.12 / 9, 0, 0, -0.16 / 9, 0),
    ],
)
def test_rotated_raster_at_another_place_is_rejected(change: Any) -> None:
    write("true/a.tif", np.ones((9, 9)), transform=rotated(0, 0, 0, 0, 0, 0))
    write("seen/a.tif", np.ones((9, 9)), transform=rotated(*change))

    expect_refusal("expected the transform of true/a.tif, 6, 8, 500000")


def test_rasters_without_a_place_are_read_without_a_warning() -> None:
    for folder in ("true", "seen"):
        with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
            write(f"{folder}/a.tif", [[1]], crs=None, transform=rasterio.Affine.identity())
    (batch,) = batches()
    assert codes(batch, "predictions") == [[0]]


def test_fractions_are_rejected() -> None:
    write("true/a.tif", [[1]], dtype=np.float32)
    write("seen/a.tif", [[1]])
    expect_refusal("expected whole numbers, found float32")


def test_what_is_no_raster_is_named() -> None:
    write("seen/a.tif", [[1]])
    Path("true").mkdir()
    Path("true/a.tif").write_text("text")
    expect_refusal("expected a whole raster, found")


def test_a_raster_whose_tags_are_shifted_is_named() -> None:
    for folder in ("true", "seen"):
        write(f"{folder}/a.tif", [[1, 2]], crs="EPSG:3857")
    content = Path("true/a.tif").read_bytes()
    (tags,) = struct.unpack_from("<I", content, 4)
    (count,) = struct.unpack_from("<H", content, tags)
    end = tags + 2 + 12 * count
    Path("true/a.tif").write_bytes(content[:end] + b"\xff" * 4 + content[end:])
    expect_refusal("expected a whole raster, found")


def test_a_raster_that_is_cut_off_is_named() -> None:
    write("true/a.tif", np.random.default_rng(0).integers(0, 3, (64, 64)), compress="deflate")
    content = Path("true/a.tif").read_bytes()
    Path("true/a.tif").write_bytes(content[: len(content) - 300])
    with pytest.raises(ReadError, match="expected whole pixel data, found the end of the file"):
        RasterPixels(Path("true/a.tif"), 1, (64, 64), 64).read(0, 64)


def test_rasterio_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    write("true/a.tif", [[1]])
    write("seen/a.tif", [[1]])
    monkeypatch.setitem(__import__("sys").modules, "rasterio", None)
    with pytest.raises(
        MissingExtraError,
        match=r"segmentation: reading true/a\.tif needs rasterio, which is not installed",
    ):
        batches()


def test_rasters_of_one_large_block_are_counted_as_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("valor_segmentation.readers.geotiff.COARSE", 1000)
    image = np.zeros((48, 40))
    write("true/a.tif", image, tiled=True, blockxsize=48, blockysize=48)
    write("seen/a.tif", image, **TILES)

    (batch,) = batches()

    ((what, count),) = batch.left_out.items()
    assert count == 1
    assert what.startswith("rasters are read in parts of more than ")
    assert what.endswith("tiles take less memory: gdal_translate -co TILED=YES")


def test_a_raster_stays_open_until_its_last_row(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.arange(12).reshape(6, 2)
    write("a.tif", image)
    opened = []
    real = rasterio.open
    monkeypatch.setattr(rasterio, "open", lambda *a, **k: opened.append(a) or real(*a, **k))
    pixels = RasterPixels(Path("a.tif"), 1, (6, 2), 1)

    assert [pixels.read(row, row + 2).tolist() for row in (0, 2, 4)] == [
        image[row : row + 2].tolist() for row in (0, 2, 4)
    ]
    assert len(opened) == 1
    assert pickle.loads(pickle.dumps(pixels)) == pixels
    assert pixels.read(1, 2).tolist() == [[2, 3]]
    assert len(opened) == 2
    assert pickle.loads(pickle.dumps(pixels)).read(5, 6).tolist() == [[10, 11]]


def test_a_band_of_a_mask_is_no_nodata() -> None:
    # What an alpha band or an internal mask hides is counted all the same.
    write("true/a.tif", [[1, 1]], [[0, 255]])
    write("seen/a.tif", [[1, 2]])
    with rasterio.open("true/a.tif", "r+") as target:
        target.colorinterp = (rasterio.enums.ColorInterp.gray, rasterio.enums.ColorInterp.alpha)
        target.write_mask(np.array([[0, 255]], np.uint8))

    (batch,) = batches()

    assert codes(batch, "groundtruths") == [[0, 0]]
    ((what, count),) = batch.left_out.items()
    assert what.startswith("rasters have a mask or an alpha band")
    assert count == 1
