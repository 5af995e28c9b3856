"""Partitions of COCO's files: the report of undivided files; each reads its own bytes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import ValorError, evaluate
from valor_core.readers import reader_of
from valor_core.specs import Registry

METRICS = ["AP", "mAP", "AR", "COCOSummary", "Counts", "ConfusionMatrix", "Examples"]


def data_set(seed: int, *, shuffled: bool = False) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A random data set and results with many equal scores, so that order matters."""
    random = np.random.default_rng(seed)
    ids = random.permutation(np.arange(3, 40))[:11].tolist()
    images: list[dict[str, Any]] = [{"id": i, "height": 60, "width": 80} for i in ids]
    images[4]["weather"] = "rain"  # in one partition only
    truths, results = [], []
    for image in ids:
        for _ in range(random.integers(0, 4)):
            box = [float(x) for x in random.integers(1, 30, 4)]
            own = {"image_id": image, "category_id": int(random.integers(1, 3)), "bbox": box}
            area = box[2] * box[3]
            truths.append(own | {"id": len(truths) + 1, "area": area, "iscrowd": 0})
        for _ in range(random.integers(0, 6)):
            near = truths[random.integers(len(truths))]["bbox"] if truths else [1.0, 2.0, 9.0, 9.0]
            box = [x + float(random.integers(0, 2)) for x in near]
            score = float(random.integers(1, 5)) / 4
            results.append(
                {"image_id": image, "category_id": int(random.integers(1, 3)), "bbox": box}
                | {"score": score}
            )
    if shuffled:
        for one in (truths, results):
            random.shuffle(one)  # type: ignore[arg-type]
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "do},{g"}]
    return {"images": images, "annotations": truths, "categories": categories}, results


def outcome(folder: Path, images: int | None, **options: Any) -> Any:
    """Return the report, or the error message."""
    files = {"groundtruths": str(folder / "true.json"), "predictions": str(folder / "found.json")}
    data = {"reader": "coco", **files, **options, "partition_images": images}
    try:
        return evaluate(data, METRICS, "detection", slices=["weather"]).to_dict()
    except ValorError as error:
        return str(error)


def write(folder: Path, true: Any, found: Any, **layout: Any) -> None:
    (folder / "true.json").write_text(json.dumps(true, **layout))
    (folder / "found.json").write_text(json.dumps(found, **layout))


def part_names(folder: Path, images: int | None) -> list[str]:
    files = {"groundtruths": str(folder / "true.json"), "predictions": str(folder / "found.json")}
    data = {"reader": "coco", **files, "partition_images": images}
    return [part.name for part in reader_of(data, "detection", Registry()).partitions()]


@pytest.mark.parametrize("layout", [{}, {"indent": 1}, {"separators": (",", ":")}])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_partitions_give_the_report_of_undivided_files(
    tmp_path: Path, seed: int, shuffled: bool, layout: dict[str, Any]
) -> None:
    write(tmp_path, *data_set(seed, shuffled=shuffled), **layout)
    whole = outcome(tmp_path, None)

    for images in (1, 2, 4, 50):
        assert outcome(tmp_path, images) == whole
        assert len(part_names(tmp_path, images)) == -(-11 // images)


def test_masks_of_partitions_equal_those_of_undivided_files(tmp_path: Path) -> None:
    true, found = data_set(1)
    for one in (*true["annotations"], *found):
        x, y, w, h = one["bbox"]
        one["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
    write(tmp_path, true, found)

    assert outcome(tmp_path, 2, iou_type="segm") == outcome(tmp_path, None, iou_type="segm")
    for one in found:
        del one["bbox"]
    write(tmp_path, true, found)
    assert outcome(tmp_path, 2) == outcome(tmp_path, None)


def test_results_may_be_a_data_set(tmp_path: Path) -> None:
    true, found = data_set(2)
    write(tmp_path, true, true | {"annotations": found})

    assert outcome(tmp_path, 3) == outcome(tmp_path, None)
    assert len(part_names(tmp_path, 3)) == 4


def broken(name: str, true: dict[str, Any], found: list[dict[str, Any]]) -> None:
    last = {
        "unknown image": lambda: found[-2].update(image_id=1000),
        "unknown category": lambda: found[-2].update(category_id=77),
        "no score": lambda: found[-2].pop("score"),
        "no box": lambda: found[-2].pop("bbox"),
        "an inverted box": lambda: found[-2].update(bbox=[1, 2, -3, 4]),
        "an id twice": lambda: true["annotations"][-1].update(id=1),
        "an image twice": lambda: true["images"].append(true["images"][0]),
        "no id": lambda: true["annotations"][-1].pop("id"),
        "no image": lambda: true["annotations"][-1].pop("image_id"),
        "no list": lambda: true.pop("annotations"),
    }
    last[name]()


@pytest.mark.parametrize("unknown", ["error", "skip"])
@pytest.mark.parametrize(
    "name",
    [
        *("unknown image", "unknown category", "no score", "no box", "an inverted box"),
        *("an id twice", "an image twice", "no id", "no image", "no list"),
    ],
)
def test_error_names_index_in_the_file(tmp_path: Path, name: str, unknown: str) -> None:
    true, found = data_set(0)
    broken(name, true, found)
    write(tmp_path, true, found)

    said = outcome(tmp_path, 2, unknown=unknown)

    assert said == outcome(tmp_path, None, unknown=unknown)
    assert isinstance(said, str) or name.startswith("unknown") or name == "no list"


def test_fields_that_look_like_records_are_not_split(tmp_path: Path) -> None:
    true, found = data_set(0)
    found[1]["parts"] = [{"a": 1}, {"a": 2}]
    write(tmp_path, true, found)

    assert len(part_names(tmp_path, 2)) == 1
    assert outcome(tmp_path, 2) == outcome(tmp_path, None)


def test_gzipped_files_are_not_split(tmp_path: Path) -> None:
    true, found = data_set(0)
    write(tmp_path, true, found)
    (tmp_path / "true.json.gz").write_bytes(gzip.compress((tmp_path / "true.json").read_bytes()))
    files = {"groundtruths": f"{tmp_path}/true.json.gz", "predictions": f"{tmp_path}/found.json"}
    reader = reader_of({"reader": "coco", **files, "partition_images": 2}, "detection", Registry())

    assert len(reader.partitions()) == 1


def test_partition_reads_only_bytes_of_its_images(tmp_path: Path) -> None:
    true, found = data_set(0, shuffled=True)
    write(tmp_path, true, found)
    files = {"groundtruths": f"{tmp_path}/true.json", "predictions": f"{tmp_path}/found.json"}
    reader: Any = reader_of(
        {"reader": "coco", **files, "partition_images": 3}, "detection", Registry()
    )

    texts = [json.loads(bytes(part.results_text().view)) for part in reader.partitions()]

    ids = sorted(image["id"] for image in true["images"])
    for number, own in enumerate(texts):
        wanted = ids[3 * number : 3 * number + 3]
        assert own == [one for one in found if one["image_id"] in wanted]
