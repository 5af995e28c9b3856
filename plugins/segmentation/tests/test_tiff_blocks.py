"""Deflated blocks of TIFFs are verified, and blocks that are short are rejected."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from valor_segmentation.readers.geotiff import Raster

from valor_core.errors import ReadError

IMAGE = np.random.default_rng(5).integers(0, 256, (67, 70))
PLACE = {"transform": rasterio.Affine(10, 0, 500_000, 0, -10, 6_000_000), "crs": "EPSG:32632"}
DEFLATED: dict[str, dict[str, Any]] = {
    "strips": {"blockysize": 16},
    "predicted": {"blockysize": 16, "predictor": 2},
    "tiles": {"tiled": True, "blockxsize": 32, "blockysize": 32},
    "bits": {"nbits": 1},
    "two bytes": {"dtype": "uint16", "endianness": "big"},
    "bands": {"count": 3, "interleave": "pixel"},
    "separate bands": {"count": 3, "interleave": "band", "bigtiff": "yes"},
}


def written(path: Path, **profile: Any) -> tuple[Any, list[tuple[int, int]]]:
    """The image as written, and offset and size of each block."""
    image = IMAGE % (1 << profile.get("nbits", 8))
    height, width = image.shape
    chosen = {"count": 1, "dtype": "uint8", "height": height, "width": width} | PLACE | profile
    with rasterio.open(path, "w", driver="GTiff", **chosen) as target:
        for band in range(1, chosen["count"] + 1):
            target.write(image.astype(chosen["dtype"]), band)
    with rasterio.open(path) as source:
        blocks = [
            tuple(
                int(source.get_tag_item(f"BLOCK_{what}_{column}_{row}", "TIFF", bidx=1) or 0)
                for what in ("OFFSET", "SIZE")
            )
            for (row, column), _ in source.block_windows(1)
        ]
    return image, blocks  # type: ignore[return-value]


def read(path: Path) -> Any:
    """All rows, some at a time."""
    pixels = Raster.read(path, 1).pixels
    height = pixels.shape[0]
    return np.concatenate([pixels.read(i, min(i + 13, height)) for i in range(0, height, 13)])


def flips(blocks: list[tuple[int, int]], times: int) -> Iterator[tuple[int, int]]:
    """Random bits of random blocks: a byte of the file and its bit."""
    random = np.random.default_rng(len(blocks))
    for _ in range(times):
        offset, size = blocks[int(random.integers(len(blocks)))]
        yield offset + int(random.integers(size)), 1 << int(random.integers(8))


@pytest.mark.parametrize("name", DEFLATED)
def test_deflated_tiff_with_a_flipped_bit_never_has_other_pixels(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    image, blocks = written(path, compress="deflate", **DEFLATED[name])
    assert (read(path) == image).all()
    content, rejected = path.read_bytes(), 0
    for byte, bit in flips(blocks, 60):
        damaged = bytearray(content)
        damaged[byte] ^= bit
        path.write_bytes(damaged)
        try:
            found = read(path)
        except ReadError as error:
            rejected += str(path) in error.message
            continue
        assert (found == image).all()
    assert rejected > 50


def packed(image: Any, size: int) -> bytes:
    """A deflated block of exactly `size` bytes, without rows at the end."""
    whole = image.astype(np.uint8).tobytes()
    for kept in range(len(whole) - 1, 0, -1):
        block = zlib.compress(whole[:kept])
        if len(block) <= size:
            return block + bytes(size - len(block))
    raise AssertionError(size)


def test_deflated_block_that_lacks_rows_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    image, [(offset, size)] = written(Path("a.tif"), compress="deflate", blockysize=67)
    content = bytearray(Path("a.tif").read_bytes())
    content[offset : offset + size] = packed(image[:40], size)
    Path("a.tif").write_bytes(content)
    with pytest.raises(ReadError, match="expected whole pixel data, found 2,799 of 4,690 bytes"):
        read(Path("a.tif"))


def test_wrong_checksum_of_a_deflated_block_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, [(offset, size)] = written(Path("a.tif"), compress="deflate", blockysize=67)
    content = bytearray(Path("a.tif").read_bytes())
    content[offset + size - 1] ^= 1
    Path("a.tif").write_bytes(content)
    with pytest.raises(
        ReadError, match=r"a\.tif, band 1, block in row 0 and column 0: expected whole pixel data,"
    ):
        read(Path("a.tif"))


@pytest.mark.parametrize("compress", ["lzw", "packbits", "deflate", "zstd", None])
def test_tiff_that_ends_in_a_block_is_rejected(compress: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    _, blocks = written(path, **{"compress": compress} if compress else {})
    content, (offset, size) = path.read_bytes(), max(blocks)
    for cut in (1, size // 2, size):
        path.write_bytes(content[: offset + size - cut])
        with pytest.raises(ReadError, match=r"expected (a whole raster|whole pixel data)"):
            read(path)


@pytest.mark.parametrize(("nodata", "filled"), [(None, 0), (7, 7)])
def test_sparse_tiles_have_the_nodata_value(
    nodata: int | None, filled: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.tif"
    profile = {"compress": "deflate", "tiled": True, "blockxsize": 32, "blockysize": 32}
    shape = {"height": 64, "width": 64, "count": 1, "dtype": "uint8", "nodata": nodata} | PLACE
    with rasterio.open(path, "w", driver="GTiff", sparse_ok=True, **profile | shape) as target:
        tile = np.ones((32, 32), np.uint8)
        target.write(tile, 1, window=rasterio.windows.Window(0, 0, 32, 32))
    found = read(path)
    assert (found[:32, :32] == 1).all()
    assert (found[32:] == filled).all()
