"""Reader of COCO's files: data equal to pycocotools, and errors."""

import contextlib
import gzip
import io
import json
import math
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from pycocotools import mask as coco_masks
from pycocotools.coco import COCO
from valor_detection.parameters.coco import CocoParameters
from valor_detection.readers.coco import CocoReader

from valor_core.errors import ReadError, SchemaError
from valor_core.schemas import Label
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry.run_lengths import runs_of


def data_set() -> dict[str, Any]:
    return {
        "images": [
            {"id": 7, "file_name": "b.jpg", "height": 10, "width": 20, "weather": "rain"},
            {"id": 3, "file_name": "a.jpg", "height": 8, "width": 9, "tags": ["x"]},
        ],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 5, "bbox": [1, 2, 3, 4], "area": 11.5,
             "iscrowd": 0, "segmentation": [[1, 2, 4, 2, 4, 6]]},
            {"id": 2, "image_id": 3, "category_id": 4, "bbox": [0, 0, 2, 2], "iscrowd": 1,
             "segmentation": {"size": [8, 9], "counts": [10, 20, 42]}},
            {"id": 4, "image_id": 7, "category_id": 4, "bbox": [5, 5, 1, 1], "area": 1,
             "iscrowd": 0, "segmentation": [[1, 1, 5, 1, 5, 5, 1, 5], [7, 7, 9, 7, 9, 9]]},
        ],
        "categories": [{"id": 5, "name": "dog"}, {"id": 4, "name": "cat"}],
    }  # fmt: skip


def results() -> list[dict[str, Any]]:
    return [
        {"image_id": 7, "category_id": 5, "bbox": [1, 2, 3, 4.5], "score": 0.5},
        {"image_id": 3, "category_id": 4, "bbox": [0, 0, 2, 2], "score": 0.25},
        {"image_id": 7, "category_id": 5, "bbox": [1, 2, 3, 4], "score": 0.75},
    ]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def read(truths: Any, found: Any, **chosen: Any) -> DetectionBatch:
        Path("gt.json").write_text(json.dumps(truths), encoding="utf-8")
        Path("dt.json").write_text(json.dumps(found), encoding="utf-8")
        own = CocoParameters(groundtruths=Path("gt.json"), predictions=Path("dt.json"), **chosen)
        reader = CocoReader(own, "detection")
        (partition,) = reader.partitions()
        assert partition.paths == (Path("gt.json"), Path("dt.json"))
        (batch,) = reader.read(partition)
        return batch

    return read


def test_images_are_sorted_by_id_and_rows_keep_the_order_of_the_file(read: Any) -> None:
    batch = read(data_set(), results())
    truths, predictions = batch.groundtruths, batch.predictions
    assert batch.datums.uids.tolist() == [3, 7]
    assert batch.labels == (Label("class", "cat"), Label("class", "dog"))
    assert batch.label_ids.tolist() == [4, 5]
    assert batch.sizes.tolist() == [[8, 9], [10, 20]]
    assert truths.datums.tolist() == [0, 1, 1]
    assert truths.uids.tolist() == [2, 1, 4]
    assert truths.labels.tolist() == [0, 1, 0]
    assert truths.crowd.tolist() == [True, False, False]
    assert truths.annotations.tolist() == [0, 0, 1]
    assert predictions.scores.tolist() == [0.25, 0.5, 0.75]
    assert predictions.areas.tolist() == [4, 13.5, 12]
    assert predictions.shapes.boxes.tolist() == [[0, 0, 2, 2], [1, 2, 3, 4.5], [1, 2, 3, 4]]


def test_missing_area_is_computed(read: Any) -> None:
    assert read(data_set(), results()).groundtruths.areas.tolist() == [4, 11.5, 1]


def test_scalar_fields_of_images_are_metadata(read: Any) -> None:
    facts = read(data_set(), results()).datums.metadata
    assert set(facts) == {"file_name", "height", "width", "weather"}
    assert facts["weather"].tolist() == [None, "rain"]


@pytest.mark.parametrize("name", ["class", "a b", 'say "hi"', "Zeit ä", "back\\slash"])
def test_metadata_field_can_have_any_name(read: Any, name: str) -> None:
    truths = data_set()
    truths["images"][0][name] = "x"

    assert read(truths, results()).datums.metadata[name].tolist() == [None, "x"]


def test_metadata_may_contain_nan(read: Any) -> None:
    truths = data_set()
    truths["images"][1]["exposure"] = math.nan

    facts = read(truths, results()).datums.metadata

    assert facts["weather"].tolist() == [None, "rain"]
    assert math.isnan(facts["exposure"][0])


def test_labels_have_the_configured_key(read: Any) -> None:
    assert read(data_set(), results(), label_key="animal").labels[0] == Label("animal", "cat")


def test_a_data_set_with_scores_is_a_list_of_results(read: Any) -> None:
    truths = data_set()
    found = {**truths, "annotations": [{**own, "score": 0.5} for own in truths["annotations"]]}
    assert read(truths, found).predictions.scores.tolist() == [0.5] * 3


def test_empty_results_give_no_predictions(read: Any) -> None:
    for iou_type in ("bbox", "segm"):
        assert len(read(data_set(), [], iou_type=iou_type).predictions) == 0


def pycoco(truths: Any, found: Any) -> tuple[COCO, COCO]:
    data = COCO()
    data.dataset = json.loads(json.dumps(truths))
    with contextlib.redirect_stdout(io.StringIO()):
        data.createIndex()
        return data, data.loadRes(json.loads(json.dumps(found)))


def assert_as_pycocotools(batch: DetectionBatch, truths: Any, found: Any, iou_type: str) -> None:
    data, loaded = pycoco(truths, found)
    for side, coco in ((batch.groundtruths, data), (batch.predictions, loaded)):
        expected = [
            own for image in sorted(coco.imgs) for own in coco.loadAnns(coco.getAnnIds([image]))
        ]
        assert batch.label_ids[side.labels].tolist() == [own["category_id"] for own in expected]
        assert side.areas.tolist() == [float(own["area"]) for own in expected]
        if iou_type == "bbox":
            assert side.shapes.boxes.tolist() == [list(map(float, own["bbox"])) for own in expected]
            continue
        assert len(side) == len(expected)
        for row, own in enumerate(expected):
            rle = coco.annToRLE(own)
            mask = side.shapes.at(row)
            assert [mask.height, mask.width] == rle["size"]
            assert mask.runs.tolist() == runs_of(rle["counts"]).tolist()
            assert side.shapes.boxes[row].tolist() == coco_masks.toBbox(rle).tolist()


def with_areas(truths: Any) -> Any:
    for own in truths["annotations"]:
        own.setdefault("area", 4)
    return truths


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_boxes_equal_those_of_pycocotools(read: Any, iou_type: str) -> None:
    truths = with_areas(data_set())
    batch = read(truths, results(), iou_type=iou_type)
    assert_as_pycocotools(batch, truths, results(), iou_type)


def masks() -> list[dict[str, Any]]:
    pixels = np.zeros((10, 20), np.uint8, order="F")
    pixels[2:7, 3:9] = 1
    rle = coco_masks.encode(pixels)
    text = {"size": rle["size"], "counts": rle["counts"].decode()}
    return [
        {"image_id": 7, "category_id": 5, "segmentation": text, "score": 0.5},
        {
            "image_id": 7,
            "category_id": 5,
            "segmentation": text,
            "score": 0.25,
            "bbox": [1, 1, 2, 2],
        },
    ]


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_masks_equal_those_of_pycocotools(read: Any, iou_type: str) -> None:
    truths = with_areas(data_set())
    batch = read(truths, masks(), iou_type=iou_type)
    assert_as_pycocotools(batch, truths, masks(), iou_type)


def test_masks_with_boxes_have_the_areas_of_the_boxes(read: Any) -> None:
    truths = with_areas(data_set())
    found = [{**own, "bbox": [1.5, 1, 2, 2.25]} for own in masks()]
    batch = read(truths, found, iou_type="segm")
    assert batch.predictions.areas.tolist() == [4.5, 4.5]
    assert_as_pycocotools(batch, truths, found, "segm")


def test_last_of_odd_number_of_coordinates_is_skipped(read: Any) -> None:
    truths = with_areas(data_set())
    truths["annotations"][0]["segmentation"] = [[1, 2, 8, 4, 5, 9, 3], [5, 5, 7, 7]]
    batch = read(truths, results(), iou_type="segm")
    assert_as_pycocotools(batch, truths, results(), "segm")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_random_data_equal_those_of_pycocotools(read: Any, seed: int, iou_type: str) -> None:
    generator = random.Random(seed)
    sizes = {i: (generator.randint(1, 40), generator.randint(1, 40)) for i in range(1, 6)}

    def polygon(image: int) -> list[float]:
        height, width = sizes[image]
        points = range(generator.randint(3, 8))
        return [generator.uniform(-2, limit + 2) for _ in points for limit in (width, height)]

    def annotation(number: int) -> dict[str, Any]:
        image = generator.randint(1, 5)
        return {
            "id": number,
            "image_id": image,
            "category_id": generator.randint(1, 3),
            "bbox": [generator.uniform(0, 20) for _ in range(4)],
            "area": generator.uniform(0, 99),
            "iscrowd": generator.randint(0, 1),
            "score": generator.random(),
            "segmentation": [polygon(image) for _ in range(generator.randint(1, 3))],
        }

    truths = {
        "images": [{"id": i, "height": h, "width": w} for i, (h, w) in sizes.items()][::-1],
        "annotations": [annotation(i) for i in range(1, 30)],
        "categories": [{"id": i, "name": f"n{i}"} for i in (3, 1, 2)],
    }
    found = [annotation(i) for i in range(1, 40)]
    batch = read(truths, found, iou_type=iou_type)
    assert_as_pycocotools(batch, truths, found, iou_type)


def changed(data: Any, place: str, **fields: Any) -> Any:
    kind, number = place.split()
    row = (data[kind] if isinstance(data, dict) else data)[int(number)]
    row.update(fields)
    for name in [name for name, value in row.items() if value is Ellipsis]:
        del row[name]
    return data


WRONG_TRUTHS = [
    (
        "annotations 1", {"image_id": 99},
    ),
    (
        "annotations 1", {"category_id": 99},
    ),
    (
        "annotations 0", {"bbox": ...},
    ),
    (
        "annotations 0", {"image_id": ...},
    ),
    (
        "annotations 0", {"bbox": [5, 5, -1, 2]},
    ),
    (
        "annotations 1", {"id": 1},
    ),
    (
        "annotations 1", {"id": ...},
    ),
    ("images 1", {"id": 7}),
    ("images 1", {"id": ...}),
    (
        "categories 1", {"name": "dog"},
    ),
    (
        "categories 1",
        {"id": 5},
    ),
    ("categories 1", {"name": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("place", "fields"), WRONG_TRUTHS)
def test_invalid_data_set_is_rejected(read: Any, place: str, fields: dict[str, Any]) -> None:
    with refused(ReadError):
        read(changed(data_set(), place, **fields), results())


WRONG_RESULTS = [
    {"image_id": 99},
    {"score": ...},
    {"bbox": ...},
]


@pytest.mark.parametrize("fields", WRONG_RESULTS)
def test_invalid_results_are_rejected(read: Any, fields: dict[str, Any]) -> None:
    with refused(ReadError):
        read(data_set(), changed(results(), "results 1", **fields))


def test_first_result_without_box_or_mask_is_rejected(read: Any) -> None:
    found = changed(results(), "results 0", bbox=...)
    with pytest.raises(
        ReadError,
        match=r"dt\.json, results\[0\]: expected a field 'bbox', found none or an empty one",
    ):
        read(data_set(), found)


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_unknown_images_and_categories_can_be_skipped(read: Any, iou_type: str) -> None:
    truths = changed(data_set(), "annotations 0", category_id=99)
    found = changed(results(), "results 2", image_id=99)
    batch = read(truths, found, unknown="skip", iou_type=iou_type)
    assert batch.groundtruths.uids.tolist() == [2, 4]
    assert batch.predictions.scores.tolist() == [0.25, 0.5]
    boxes_alone = "predictions without a segmentation; their boxes are compared as masks"
    assert batch.left_out == {
        "groundtruths left out: category_id not in the data set, 4 to 5": 1,
        "predictions left out: unknown image": 1,
    } | ({boxes_alone: 2} if iou_type == "segm" else {})


def test_invalid_boxes_are_repaired_skipped_or_rejected(read: Any) -> None:
    truths = changed(data_set(), "annotations 0", bbox=[5, 6, -2, 2])
    batch = read(truths, results(), invalid_geometry="repair")
    assert batch.groundtruths.shapes.boxes[1].tolist() == [3, 6, 2, 2]
    assert batch.groundtruths.areas.tolist() == [4, 4, 1]
    assert batch.left_out == {"groundtruths repaired: inverted": 1}
    batch = read(truths, results(), invalid_geometry="skip")
    assert batch.groundtruths.uids.tolist() == [2, 4]
    assert batch.left_out == {"groundtruths left out: inverted": 1}
    with pytest.raises(
        ReadError, match="expected a shape with xmin <= xmax and ymin <= ymax, got 5, 6, 3, 8"
    ):
        read(truths, results(), invalid_geometry="error")


BEYOND = [1.5e308, 0, 1.5e308, 1e-300]
"""A box with a finite area and an infinite right edge."""


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("accept", "expected a box with finite coordinates, got 1.5e+308, 0, inf, 1e-300"),
        ("error", "expected a shape with finite coordinates and area, got 1.5e+308, 0,"),
    ],
)
def test_box_with_infinite_extent_is_rejected(read: Any, policy: str, message: str) -> None:
    truths = changed(data_set(), "annotations 0", bbox=BEYOND)
    with pytest.raises((ReadError, SchemaError), match=re.escape(message)):
        read(truths, results(), invalid_geometry=policy)


def test_box_with_infinite_extent_can_be_skipped(read: Any) -> None:
    truths = changed(data_set(), "annotations 0", bbox=BEYOND)
    batch = read(truths, results(), invalid_geometry="skip")
    assert batch.left_out == {"groundtruths left out: not finite": 1}


WRONG_MASKS = [
    ({"segmentation": ...}, "expected a field 'segmentation'"),
    ({"segmentation": {"size": [9, 9], "counts": [81]}}, "expected a mask of the image's height"),
    (
        {"segmentation": {"size": [10, 20], "counts": [10, 20]}},
        "expected runs for 10 by 20 pixels",
    ),
    ({"segmentation": [[1, 2]]}, "expected polygons of 3 points or more"),
    (
        {"segmentation": {"size": [10, 20], "counts": "~~"}},
        "expected COCO's compressed run lengths",
    ),
]


@pytest.mark.parametrize(("fields", "message"), WRONG_MASKS)
def test_invalid_mask_is_rejected(read: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        read(changed(data_set(), "annotations 0", **fields), results(), iou_type="segm")


@pytest.mark.parametrize("size", [[2**32, 1], [3 << 32, 1], [2**32, 2**32], [2**16, 2**15]])
@pytest.mark.parametrize("counts", [[1, 5, 2], [0], "152"])
def test_run_length_mask_of_four_billion_rows_does_not_crash(
    read: Any, size: list[int], counts: Any
) -> None:
    truths = changed(data_set(), "images 0", height=..., width=...)
    del truths["annotations"][2]
    own = {"segmentation": {"size": size, "counts": counts}}
    with pytest.raises(
        ReadError,
        match=r"gt\.json, annotations\[0\] \(id 1\), segmentation: expected an image of at",
    ):
        read(changed(truths, "annotations 0", **own), results(), iou_type="segm")


def test_polygon_of_image_without_size_is_rejected(read: Any) -> None:
    truths = changed(data_set(), "images 0", width=...)
    with pytest.raises(
        ReadError, match=r"expected an image with height and width to draw it in, found none \(and"
    ):
        read(truths, results(), iou_type="segm")


def test_results_are_rejected_as_data_set(read: Any) -> None:
    with pytest.raises(
        ReadError, match=r"gt\.json: expected a COCO data set with images, annotations and"
    ):
        read(results(), results())


def test_missing_categories_are_rejected(read: Any) -> None:
    truths = data_set()
    del truths["categories"]
    with pytest.raises(ReadError, match=r"gt\.json, categories: expected a list, found None"):
        read(truths, results())


@pytest.mark.parametrize("found", [{"predictions": results()}, {"task": "x", "loss": math.nan}, {}])
def test_object_without_annotations_is_rejected_as_results(read: Any, found: Any) -> None:
    with pytest.raises(
        ReadError, match=r"dt\.json: expected a list of results, or a table that has them under"
    ):
        read(data_set(), found)


def test_results_may_be_under_annotations(read: Any) -> None:
    found = read(data_set(), {"annotations": results()}).predictions
    assert found.scores.tolist() == read(data_set(), results()).predictions.scores.tolist()


def test_box_without_finite_area_is_rejected(read: Any) -> None:
    found = changed(results(), "results 1", bbox=[0, 0, 1e200, 1e200])
    with pytest.raises(
        ReadError,
        match=r"expected a box with a finite area, found \[0\.0, 0\.0, 1e\+200, 1e\+200\]",
    ):
        read(data_set(), found)


def test_image_of_negative_size_is_rejected(read: Any) -> None:
    with pytest.raises(ReadError, match="expected a height and width of 0 or more, found -8 and 9"):
        read(changed(data_set(), "images 1", height=-8), results())


def test_empty_annotations_are_accepted_and_missing_ones_rejected(read: Any) -> None:
    assert len(read(data_set(), {"annotations": []}).predictions) == 0
    with pytest.raises(
        ReadError, match=r"dt\.json: expected a list of results, or a table that has them under"
    ):
        read(data_set(), {"info": {}})


def packed(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(json.dumps(value).encode()))
    return path


def test_gzipped_files_are_read(read: Any, tmp_path: Path) -> None:
    truths = packed(tmp_path, "gt.json.gz", data_set())
    found = packed(tmp_path, "dt.JSON.GZ", results())
    reader = CocoReader(CocoParameters(groundtruths=truths, predictions=found), "detection")
    (batch,) = reader.read(reader.partitions()[0])
    plain = read(data_set(), results())
    np.testing.assert_array_equal(batch.groundtruths.shapes.boxes, plain.groundtruths.shapes.boxes)
    np.testing.assert_array_equal(batch.predictions.scores, plain.predictions.scores)


def test_corrupt_gzip_file_is_rejected(tmp_path: Path) -> None:
    truths = packed(tmp_path, "gt.json.gz", data_set())
    whole = truths.read_bytes()
    for content in (
        whole[:-20],
        json.dumps(data_set()).encode(),
    ):
        truths.write_bytes(content)
        reader = CocoReader(CocoParameters(groundtruths=truths, predictions=truths), "detection")
        with pytest.raises(ReadError, match="expected a valid gzip file, found"):
            list(reader.read(reader.partitions()[0]))


def test_a_category_id_of_5000_digits_is_named(read: Any) -> None:
    text = json.dumps(data_set()).replace('"id": 5, "name"', f'"id": {"9" * 5000}, "name"')
    read(data_set(), results())
    Path("gt.json").write_text(text, encoding="utf-8")
    own = CocoParameters(groundtruths=Path("gt.json"), predictions=Path("dt.json"))
    reader = CocoReader(own, "detection")
    with pytest.raises(
        ReadError, match=r"gt\.json, categories\[0\], id: expected a whole number, found inf"
    ):
        list(reader.read(reader.partitions()[0]))


def test_metadata_integer_may_have_5000_digits(read: Any) -> None:
    text = json.dumps(data_set()).replace('"rain"', "9" * 5000)
    read(data_set(), results())
    Path("gt.json").write_text(text, encoding="utf-8")
    own = CocoParameters(groundtruths=Path("gt.json"), predictions=Path("dt.json"))
    reader = CocoReader(own, "detection")
    (batch,) = reader.read(reader.partitions()[0])
    assert batch.datums.metadata["weather"].tolist() == [None, math.inf]
