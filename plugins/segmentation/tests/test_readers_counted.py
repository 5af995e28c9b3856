"""Readers give the same counts as the same pixels in memory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from PIL import Image
from valor_segmentation.readers.in_memory import from_arrays

from valor_core import evaluate
from valor_core.errors import ReadError

from .support import results_of

LABELS = ["cat", "dog"]
METRICS = ("Counts", "ConfusionMatrix", "mIOU")
MAPS = np.random.default_rng(0).integers(0, 4, (2, 3, 90, 70)).astype(np.uint8)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for side in ("true", "seen"):
        Path(side).mkdir()


def maps() -> list[Any]:
    """Three pairs of label images; the value 3 is not counted, and never predicted."""
    return [MAPS[0], MAPS[1] % 3]


def expected(labels: Any = LABELS) -> Any:
    true, predicted = maps()
    batch = from_arrays(true, predicted, labels=labels, ignore=3, uids=list("abc"))
    return [result.to_dict() for result in results_of(batch, *METRICS)]


def found(**data: Any) -> Any:
    given = {"groundtruths": "true", "predictions": "seen", "labels": LABELS} | data
    return [result.to_dict() for result in results_of(given, *METRICS)]


def test_pngs_are_counted_like_arrays() -> None:
    for side, images in zip(("true", "seen"), maps(), strict=True):
        for uid, image in zip("abc", images, strict=True):
            Image.fromarray(image).save(f"{side}/{uid}.png")
    assert found(reader="segmentation.png", ignore=3, partition_images=2) == expected()


def test_colors_are_counted_like_arrays() -> None:
    colors = np.array([[0, 0, 0], [255, 0, 0], [0, 255, 0], [9, 9, 9]], np.uint8)
    for side, images in zip(("true", "seen"), maps(), strict=True):
        for uid, image in zip("abc", images, strict=True):
            Image.fromarray(colors[image]).save(f"{side}/{uid}.png")
    palette = {"#ff0000": "cat", "[0, 255, 0]": "dog"}
    given = {"labels": [], "palette": palette, "ignore": "#090909"}
    assert found(reader="segmentation.png", **given) == expected()


def test_npys_are_counted_like_arrays() -> None:
    for side, images in zip(("true", "seen"), maps(), strict=True):
        for uid, image in zip("abc", images, strict=True):
            np.save(f"{side}/{uid}.npy", image.astype(np.int32))
    assert found(reader="segmentation.npy", ignore=3) == expected()


@pytest.mark.parametrize(
    "values",
    [
        {2: "dog", 1: "cat"},
        {0: "background", 2: "dog", 1: "cat"},
        {0: None, 1: "cat", 2: "cat"},
        {1: None, 0: "dog", 2: "cat"},
    ],
)
def test_values_mean_the_same_in_readers_and_arrays(values: dict[int, str | None]) -> None:
    for side, images in zip(("true", "seen"), maps(), strict=True):
        for uid, image in zip("abc", images, strict=True):
            np.save(f"{side}/{uid}.npy", image)
    given = {"labels": [], "values": {str(value): name for value, name in values.items()}}
    assert found(reader="segmentation.npy", ignore=3, **given) == expected(values)


def test_rasters_of_other_blocks_are_counted_like_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "valor_segmentation.counting.layer_counts._STRIP", 1
    )  # every strip on its own
    layouts = ({"tiled": True, "blockxsize": 16, "blockysize": 32}, {"blockysize": 7})
    for side, images, layout in zip(("true", "seen"), maps(), layouts, strict=True):
        for uid, image in zip("abc", images, strict=True):
            kind = {"height": 90, "width": 70, "count": 1, "dtype": "uint8", "nodata": 3}
            georeference = {"transform": rasterio.Affine(1, 0, 5, 0, -1, 9)}
            path = f"{side}/{uid}.tif"
            with rasterio.open(
                path, "w", driver="GTiff", **kind, **georeference, **layout
            ) as target:
                target.write(image, 1)
    assert found(reader="segmentation.geotiff") == expected()


def save(kind: str, path: str, image: Any) -> None:
    if kind == "png":
        Image.fromarray(image).save(path)
    elif kind == "npy":
        np.save(path, image)
    else:
        height, width = image.shape
        shape = {"height": height, "width": width, "count": 1, "dtype": image.dtype}
        georeference = {"transform": rasterio.Affine(1, 0, 5, 0, -1, 9)}
        with rasterio.open(path, "w", driver="GTiff", **shape, **georeference) as target:
            target.write(image, 1)


@pytest.mark.parametrize(("kind", "ending"), [("png", "png"), ("npy", "npy"), ("geotiff", "tif")])
def test_a_table_of_metadata_makes_slices(kind: str, ending: str) -> None:
    for uid, predicted in {"a": 1, "b": 2, "sub/c": 1}.items():
        for side, value in (("true", 1), ("seen", predicted)):
            Path(f"{side}/{uid}.{ending}").parent.mkdir(exist_ok=True)
            save(kind, f"{side}/{uid}.{ending}", np.full((2, 3), value, np.uint8))
    Path("facts.csv").write_text("name,weather,height\na,rain,3\nsub/c,sun,4.5\n")
    data = {
        "reader": f"segmentation.{kind}",
        "groundtruths": "true",
        "predictions": "seen",
        "labels": LABELS,
        "metadata": "facts.csv",
        "uid": "name",
    }
    report = evaluate(data, ["Accuracy"], "segmentation", slices=["weather"])
    found = {part[0].slice["weather"]: part.value for part in report.slices}
    assert found == {"rain": 1.0, "sun": 1.0, None: 0.0}
    tall = evaluate(data, ["Accuracy"], "segmentation", filter="height > 4")
    assert tall.counts["read"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uid,x\na,1\na,2\n", "expected each uid once, found 'a' as in row 2"),
        (
            "uid,x\na,1\nz.npy,2\ny,3\n",
            "expected the name of one of the 1 images without its ending, found",
        ),
    ],
)
def test_a_table_of_metadata_that_does_not_fit_is_named(text: str, message: str) -> None:
    for side in ("true", "seen"):
        np.save(f"{side}/a.npy", [[0, 1]])
    Path("facts.csv").write_text(text)
    with pytest.raises(ReadError, match=re.escape(message)):
        found(reader="segmentation.npy", metadata="facts.csv")


def test_a_value_that_is_no_label_is_named() -> None:
    for side in ("true", "seen"):
        np.save(f"{side}/a.npy", [[0, 7]])
    with pytest.raises(
        ReadError, match="images 'a' to 'a': item 'a', groundtruth: expected the value of a"
    ):
        found(reader="segmentation.npy")


def test_panoptic_quality_is_that_of_the_segments() -> None:
    """One car is found with 3 of 4 pixels, and one that is not there is seen.

    IoU 3 / 4; recognition 1 / (1 + 1 / 2) = 2 / 3; panoptic quality 3 / 4 * 2 / 3 = 1 / 2.
    """
    for side, ids in {"true": [5, 5, 5, 5, 6, 6], "seen": [1, 1, 1, 0, 2, 2]}.items():
        colors = np.zeros((1, 6, 3), np.uint8)
        colors[0, :, 1] = ids  # ids of more than eight bits
        Image.fromarray(colors).save(f"{side}/7.png")
        categories = {5: 1, 6: 2, 1: 1, 2: 1}
        infos = [{"id": 256 * i, "category_id": categories[i]} for i in sorted({*ids} - {0})]
        content = {
            "images": [{"id": 7, "height": 1, "width": 6}],
            "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "sky"}],
            "annotations": [{"image_id": 7, "file_name": "7.png", "segments_info": infos}],
        }
        Path(f"{side}.json").write_text(json.dumps(content), encoding="utf-8")
    data = {"reader": "segmentation.coco", "groundtruths": "true.json", "predictions": "seen.json"}
    found = results_of(data, "PanopticQuality")
    results = {one.parameters.get("label"): one.to_dict()["value"] for one in found}
    assert results["car"] == pytest.approx(0.5, abs=1e-12)
    assert results["sky"] == 0.0
