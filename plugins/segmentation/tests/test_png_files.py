"""PNG files that are damaged or short are rejected; all others have their pixels."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_segmentation.readers.png import color_image, label_image

from valor_core import evaluate
from valor_core.errors import ReadError

from .png_images import SIGNATURE, chunk, damaged, head, png, raw_rows

KINDS = [
    *((depth, kind) for kind in (0, 3) for depth in (1, 2, 4, 8)),
    (16, 0),
    (8, 2),
    (8, 4),
    (8, 6),
]
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def samples(depth: int, kind: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return random.integers(0, 1 << depth, (11, 13, SAMPLES[kind]))


def written(folder: Path, content: bytes) -> Path:
    path = folder / "a.png"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("filters", [(0,), (4, 3, 2, 1, 0), (1, 2)])
@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize(("depth", "kind"), KINDS)
def test_png_of_every_kind_has_its_values(
    tmp_path: Path, depth: int, kind: int, interlace: int, filters: tuple[int, ...]
) -> None:
    values = samples(depth, kind)
    palette = np.random.default_rng(1).integers(0, 256, (1 << min(depth, 8), 3)).astype(np.uint8)
    content = png(values, depth, kind, interlace, filters, palette.tobytes() if kind == 3 else b"")
    path = written(tmp_path, content)
    if kind in (0, 3):
        found = label_image(path)
        assert found.shape == (11, 13)
        assert (found == values[..., 0]).all()
    if depth <= 8:
        with Image.open(io.BytesIO(content)) as image:
            colors = np.asarray(image.convert("RGB"), np.int64)
        assert (color_image(path) == colors @ [1, 256, 65536]).all()


@pytest.mark.parametrize(("depth", "kind"), KINDS)
@pytest.mark.parametrize("interlace", [0, 1])
def test_damaged_png_never_has_other_pixels(
    tmp_path: Path, depth: int, kind: int, interlace: int
) -> None:
    content = png(
        samples(depth, kind), depth, kind, interlace, (0, 1), bytes(range(1, 256)) * 3 * (kind == 3)
    )
    read = label_image if kind in (0, 3) else color_image
    right = read(written(tmp_path, content)).tolist()
    rejected = 0
    for broken in damaged(content, np.random.default_rng(depth + kind), 40):
        try:
            found = read(written(tmp_path, broken))
        except ReadError as error:
            rejected += str(tmp_path / "a.png") in error.message
            continue
        assert found.tolist() == right
    assert rejected > 150


ROWS = np.ones((4, 4), int)
RAW = raw_rows(ROWS[..., None], 8)
PACKED = zlib.compress(RAW)
END = chunk(b"IEND", b"")
HEAD = SIGNATURE + head(4, 4, 8, 0)

BROKEN = {
    "no rows": HEAD + chunk(b"IDAT", zlib.compress(b"")) + END,
    "one of four rows": HEAD + chunk(b"IDAT", zlib.compress(RAW[:5])) + END,
    "all but one byte": HEAD + chunk(b"IDAT", zlib.compress(RAW[:-1])) + END,
    "five rows": HEAD + chunk(b"IDAT", zlib.compress(RAW + RAW[:5])) + END,
    "a wrong checksum of the pixels": HEAD
    + chunk(b"IDAT", PACKED[:-1] + bytes([PACKED[-1] ^ 1]))
    + END,
    "no checksum of the pixels": HEAD + chunk(b"IDAT", PACKED[:-4]) + END,
    "bytes after the pixels": HEAD + chunk(b"IDAT", PACKED + b"more") + END,
    "a wrong checksum of a chunk": HEAD + chunk(b"IDAT", PACKED, damage=1) + END,
    "a wrong checksum of the header": SIGNATURE
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0), damage=1)
    + chunk(b"IDAT", PACKED)
    + END,
    "a wrong checksum of the end": HEAD + chunk(b"IDAT", PACKED) + chunk(b"IEND", b"", damage=1),
    "a wrong checksum of a comment": HEAD
    + chunk(b"tEXt", b"a\0b", damage=1)
    + chunk(b"IDAT", PACKED)
    + END,
    "no end": HEAD + chunk(b"IDAT", PACKED),
    "no pixels": HEAD + END,
    "no header": SIGNATURE + chunk(b"IDAT", PACKED) + END,
    "a chunk between the pixels": HEAD
    + chunk(b"IDAT", PACKED[:5])
    + chunk(b"tEXt", b"a\0b")
    + chunk(b"IDAT", PACKED[5:])
    + END,
    "an unknown filter": HEAD + chunk(b"IDAT", zlib.compress(b"\x05" + RAW[1:])) + END,
    "a depth of three bits": SIGNATURE + head(4, 4, 3, 0) + chunk(b"IDAT", PACKED) + END,
    "no palette": SIGNATURE + head(4, 4, 8, 3) + chunk(b"IDAT", PACKED) + END,
    "no width": SIGNATURE + head(0, 4, 8, 0) + chunk(b"IDAT", PACKED) + END,
    "a name that is none": HEAD + chunk(b"ID\0T", PACKED) + END,
}


@pytest.mark.parametrize("name", BROKEN)
def test_png_with_missing_rows_or_wrong_checksum_is_rejected(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.png").write_bytes(BROKEN[name])
    with pytest.raises(ReadError, match=r"a\.png: expected a whole PNG image, found"):
        label_image(Path("a.png"))


def test_bytes_after_the_end_of_a_png_are_ignored(tmp_path: Path) -> None:
    content = HEAD + chunk(b"IDAT", PACKED) + END + b"written by a camera"
    assert label_image(written(tmp_path, content)).tolist() == ROWS.tolist()


def test_index_without_a_color_is_rejected_where_colors_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.png").write_bytes(png(np.array([[0, 0], [0, 7]]), 8, 3, palette=bytes(6)))
    assert label_image(Path("a.png")).tolist() == [[0, 0], [0, 7]]
    with pytest.raises(ReadError, match="expected an index of the palette's 2 colors, found 7"):
        color_image(Path("a.png"))


@pytest.mark.parametrize("side", ["true", "seen"])
def test_png_with_one_of_four_rows_has_no_accuracy(side: str, tmp_path: Path) -> None:
    for one in ("true", "seen"):
        (tmp_path / one).mkdir()
        (tmp_path / one / "a.png").write_bytes(png(ROWS))
    data = {"groundtruths": str(tmp_path / "true"), "predictions": str(tmp_path / "seen")}
    data |= {"reader": "png", "labels": ["x", "y"]}
    assert evaluate(data, ["Accuracy"], "segmentation")["Accuracy"].value == 1.0
    (tmp_path / side / "a.png").write_bytes(BROKEN["one of four rows"])
    with pytest.raises(ReadError, match="pixel data of 5 bytes, not 20"):
        evaluate(data, ["Accuracy"], "segmentation")


def test_panoptic_png_with_three_of_four_rows_has_no_quality(tmp_path: Path) -> None:
    record = {
        "images": [{"id": 1, "file_name": "a.jpg", "height": 4, "width": 4}],
        "annotations": [
            {"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 1, "category_id": 1}]}
        ],
        "categories": [{"id": 1, "name": "x", "isthing": 1}],
    }
    ids = np.zeros((4, 4, 3), int)
    ids[..., 0] = 1
    for side in ("true", "seen"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.png").write_bytes(png(ids, kind=2))
        (tmp_path / f"{side}.json").write_text(json.dumps(record))
    data = {"reader": "segmentation.coco"} | {
        f"{name}s": str(tmp_path / f"{side}.json")
        for name, side in (("groundtruth", "true"), ("prediction", "seen"))
    }
    assert evaluate(data, ["PanopticQuality"], "segmentation").results[0].value == 1.0
    short = zlib.compress(raw_rows(ids, 8)[:39])
    content = SIGNATURE + head(4, 4, 8, 2) + chunk(b"IDAT", short) + END
    (tmp_path / "seen" / "a.png").write_bytes(content)
    with pytest.raises(ReadError, match="pixel data of 39 bytes, not 52"):
        evaluate(data, ["PanopticQuality"], "segmentation")
