"""COCO's panoptic and stuff files become batches, and what does not fit is named."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_segmentation.parameters.readers import CocoParameters
from valor_segmentation.readers.coco import CocoReader

from valor_core import evaluate
from valor_core.errors import MissingExtraError, ReadError
from valor_core.schemas.segmentation import SegmentationBatch

CATEGORIES = [{"id": 7, "name": "sky"}, {"id": 3, "name": "car"}]
IMAGES = [{"id": 2, "height": 1, "width": 4, "weather": "rain"}, {"id": 1, "height": 1, "width": 4}]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, annotations: list[Any], **more: Any) -> None:
    content = {"images": IMAGES[:1], "categories": CATEGORIES, "annotations": annotations} | more
    Path(name).write_text(json.dumps(content), encoding="utf-8")


def segments(name: str, image: int, ids: Any, *infos: Any) -> dict[str, Any]:
    """A panoptic annotation, whose image is written."""
    Path(name).mkdir(exist_ok=True)
    numbers = np.array(ids)
    colors = np.stack([numbers % 256, numbers // 256 % 256, numbers // 65536], axis=-1)
    Image.fromarray(colors.astype(np.uint8)).save(f"{name}/{image}.png")
    return {"image_id": image, "file_name": f"{image}.png", "segments_info": list(infos)}


def info(number: Any, category: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "category_id": category} | more


def mask(category: int, counts: Any, image: int = 2, **more: Any) -> dict[str, Any]:
    segmentation = {"size": [1, 4], "counts": counts}
    return {"image_id": image, "category_id": category, "segmentation": segmentation} | more


def batches(**parameters: Any) -> list[SegmentationBatch]:
    chosen: dict[str, Any] = {"groundtruths": Path("true.json"), "predictions": Path("seen.json")}
    reader = CocoReader(CocoParameters(**chosen | parameters), "segmentation")
    parts = [pickle.loads(pickle.dumps(part)) for part in reader.partitions()]
    return [batch for part in parts for batch in reader.read(part)]


def labels(batch: SegmentationBatch, side: str, position: int = 0) -> Any:
    one = getattr(batch.layers[0], side)[position]
    image = one.pixels.read(0, one.pixels.shape[0])
    codes = one.legend.codes[np.searchsorted(one.legend.values, image)]
    names = {-1: "", -2: "?"} | {i: str(label) for i, label in enumerate(batch.labels)}
    return [[names[code] for code in row] for row in codes.tolist()]


def expect_refusal(match: str, **parameters: Any) -> None:
    with pytest.raises(ReadError, match=re.escape(match)):
        batches(**parameters)


def test_panoptic_pixels_are_segments_with_labels() -> None:
    true = segments("true", 2, [[0, 300, 70000, 5]], info(300, 3), info(70000, 3), info(5, 7))
    write("true.json", [true])
    predicted = segments("seen", 2, [[9, 9, 0, 1]], info(9, 3, iscrowd=1), info(1, 7))
    write("seen.json", [predicted])
    (batch,) = batches()
    assert batch.datums.uids.tolist() == [2]
    assert batch.datums.metadata["weather"].tolist() == ["rain"]
    assert labels(batch, "groundtruths") == [["?", "car", "car", "sky"]]
    assert labels(batch, "predictions") == [["car", "car", "", "sky"]]
    (map_,) = batch.layers[0].groundtruths
    assert map_ is not None
    assert map_.legend.has_instances
    assert len(np.unique(map_.pixels.read(0, 1))) == 4
    (other,) = batch.layers[0].predictions
    assert other is not None
    assert other.legend.crowd is not None
    assert other.legend.crowd.tolist() == [False, False, True]


def test_a_part_names_the_images_that_it_is_of() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))])
    write("seen.json", [mask(7, [0, 4])])
    chosen = {"groundtruths": Path("true.json"), "predictions": Path("seen.json")}
    (part,) = CocoReader(CocoParameters(**chosen), "segmentation").partitions()
    assert part.paths == (Path("true.json"), Path("seen.json"), Path("true/2.png"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../secret.png", "expected a file in true, found '../secret.png', which leads out of it"),
        ("link.png", "expected a file in true, found 'link.png', which leads out of it"),
        ("/secret.png", "expected a file in true, found '/secret.png', which leads out of it"),
    ],
)
def test_panoptic_image_outside_of_its_folder_is_rejected(name: str, message: str) -> None:
    one = segments("true", 2, [[5, 5, 5, 5]], info(5, 7))
    Path("true/2.png").rename("secret.png")
    Path("true/link.png").symlink_to(Path("secret.png").absolute())
    write("true.json", [one | {"file_name": name}])
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(5, 7))])
    with pytest.raises(ReadError, match=re.escape(message)):
        batches()


def test_true_segment_without_pixels_is_missed_as_in_panopticapi() -> None:
    crowd = info(8, 7) | {"iscrowd": 1}
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7), crowd, info(9, 7))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(5, 7))])
    data = {"reader": "segmentation.coco", "groundtruths": "true.json", "predictions": "seen.json"}
    metrics = ["PanopticQuality", "RecognitionQuality", "SegmentationQuality"]

    report = evaluate(data, metrics, "segmentation")
    again = evaluate([item for batch in batches() for item in batch.items()], metrics)

    for one in (report, again):
        found = [one[metric].find(average="all").value for metric in metrics]
        assert found == [2 / 3, 2 / 3, 1]
    assert [str(one) for one in report.warnings] == [
        "1 segment of true.json without pixels in the PNG images, counted as missed like in "
        "panopticapi: delete them from segments_info, or draw them (first: true.json, "
        "annotations:0)"
    ]


def test_predicted_segment_without_pixels_is_rejected_as_in_panopticapi() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(9, 7), info(5, 7), info(3, 3))])
    with pytest.raises(
        ReadError, match=r"expected a segment with pixels in seen/2\.png, found none of the id 3"
    ):
        batches()


@pytest.mark.parametrize(
    ("crowd", "message"),
    [
        ("0", "expected 0 or 1, found '0'"),
        ("1", "expected 0 or 1, found '1'"),
        (2, "expected 0 or 1, found 2"),
        ([0], "expected 0 or 1, found [0]"),
    ],
)
def test_iscrowd_of_panoptic_segment_is_a_flag(crowd: Any, message: str) -> None:
    """The text "0" was true, so the segment was excluded as a crowd."""
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7, iscrowd=crowd))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(5, 7, iscrowd=False))])
    with pytest.raises(ReadError, match=re.escape(message)):
        batches()


def test_panoptic_folder_may_be_a_link() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(5, 7))])
    Path("true").rename("elsewhere")
    Path("true").symlink_to("elsewhere")
    (batch,) = batches()
    assert len(batch) == 1


def test_an_image_without_a_file_name_is_named() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7)) | {"file_name": None}])
    write("seen.json", [])
    expect_refusal("expected a name, found None")


def test_folders_of_images_can_be_elsewhere() -> None:
    write("true.json", [segments("a", 2, [[5, 5, 5, 5]], info(5, 7))])
    write("seen.json", [segments("b", 2, [[5, 5, 5, 5]], info(5, 7))])
    expect_refusal("expected the folder of the PNG images of true.json")
    folders = {"groundtruth_images": Path("a"), "prediction_images": Path("b")}
    assert len(batches(**folders)) == 1


def test_images_without_a_panoptic_annotation_are_named() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))], images=IMAGES)
    write("seen.json", [segments("seen", 2, [[5, 5, 5, 5]], info(5, 7))])
    expect_refusal("expected a ground truth for each of 2 images")
    (batch,) = batches(missing="background")
    assert batch.layers[0].groundtruths[0] is None


def test_an_id_that_is_not_described_is_named() -> None:
    write("true.json", [segments("true", 2, [[5, 6, 6]], info(5, 7))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5]], info(5, 7))])
    expect_refusal("found 6 (2 pixels have unknown ids)")


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (info(5, 8), "expected one of the 2 categories"),
        (info(0, 7), "expected a distinct number from 1"),
        (info("5", 7), "expected a whole number, found '5'"),
        (5, "segments_info[0]: expected a table of fields, found 5"),
    ],
)
def test_segments_that_are_described_badly_are_named(annotation: Any, message: str) -> None:
    write("true.json", [segments("true", 2, [[0]], annotation)])
    write("seen.json", [])
    expect_refusal(message)


def test_a_second_panoptic_annotation_of_an_image_is_named() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))] * 2)
    write("seen.json", [])
    expect_refusal("annotations[1]: expected one annotation")


def test_run_lengths_become_label_maps() -> None:
    write("true.json", [mask(3, [0, 1, 3]), mask(7, [2, 2])], images=IMAGES)
    results = [mask(7, "04"), mask(3, [0, 4], image=1)]
    Path("seen.json").write_text(json.dumps(results), encoding="utf-8")
    (batch,) = batches()
    assert batch.datums.uids.tolist() == [1, 2]
    assert batch.layers[0].groundtruths[0] is None
    assert labels(batch, "groundtruths", 1) == [["car", "", "sky", "sky"]]
    assert labels(batch, "predictions", 0) == [["car"] * 4]
    assert labels(batch, "predictions", 1) == [["sky"] * 4]


def bare(name: str, count: int) -> dict[str, int]:
    return {f"images without an annotation in {name}, which are all background": count}


def test_images_without_segmentations_are_background_and_counted() -> None:
    write("true.json", [mask(3, [0, 1, 3])], images=IMAGES)
    write("seen.json", [])
    (batch,) = batches()
    assert batch.left_out == bare("true.json", 1) | bare("seen.json", 2)
    data = {"reader": "segmentation.coco", "groundtruths": "true.json", "predictions": "seen.json"}
    report = evaluate(data, ["Counts"], "segmentation")
    assert report.warnings == (
        "2 images without an annotation in seen.json, which are all background",
        "1 image without an annotation in true.json, which are all background",
    )
    assert report["Counts"].find(label="car").value["fn"] == 1


def test_images_that_are_meant_to_be_background_are_no_warning() -> None:
    write("true.json", [mask(3, [0, 1, 3])], images=IMAGES)
    write("seen.json", [])
    (batch,) = batches(missing="background")
    assert batch.left_out == {}


def test_things_and_stuff_are_averaged_as_the_categories_say() -> None:
    """The car is found with 3 of 4 pixels, the sky with all."""
    categories = [CATEGORIES[0] | {"isthing": 0}, CATEGORIES[1] | {"isthing": 1}]
    for name, ids in {"true": [5, 5, 5, 5, 6, 6], "seen": [5, 5, 5, 0, 6, 6]}.items():
        one = segments(name, 2, [ids], info(5, 3), info(6, 7))
        write(f"{name}.json", [one], categories=categories, images=[{"id": 2}])
    data = {"reader": "segmentation.coco", "groundtruths": "true.json", "predictions": "seen.json"}

    def means(**parameters: Any) -> dict[str, float]:
        results = evaluate(data, [{"name": "PQ"} | parameters], "segmentation").results
        return {r.parameters["average"]: r.value for r in results if "average" in r.parameters}

    assert means() == {"all": 0.875, "things": 0.75, "stuff": 1.0}
    assert means(stuff=["car"]) == {"all": 0.875, "things": 1.0, "stuff": 0.75}
    assert means(stuff=[]) == {"all": 0.875}
    renamed = evaluate(data, ["PQ"], "segmentation", label_map={"sky": "air"})
    assert renamed["PanopticQuality"].find(average="stuff").value == 1.0


def test_a_category_that_is_neither_thing_nor_stuff_is_named() -> None:
    write("true.json", [], categories=[CATEGORIES[0] | {"isthing": "no"}])
    write("seen.json", [])
    expect_refusal("expected 0 or 1, found 'no'")


@pytest.mark.parametrize("others", [[], [mask(3, [1, 1, 2])]])
def test_annotation_with_empty_segmentation_has_no_pixels(others: list[Any]) -> None:
    empty = {"image_id": 2, "category_id": 7, "segmentation": []}
    write("true.json", [empty, *others])
    write("seen.json", [mask(3, [1, 1, 2])])

    (batch,) = batches()

    assert labels(batch, "groundtruths") == [["", "car" if others else "", "", ""]]


def test_polygons_of_an_annotation_are_united() -> None:
    polygons = [[0, 0, 1.4, 0, 1.4, 1, 0, 1], [2.6, 0, 4, 0, 4, 1, 2.6, 1]]
    one = {"image_id": 2, "category_id": 3, "segmentation": polygons}
    write("true.json", [one])
    write("seen.json", [])
    (batch,) = batches()
    assert labels(batch, "groundtruths") == [["car", "", "", "car"]]


def test_sides_can_be_of_two_kinds() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5, 5]], info(5, 7))])
    write("seen.json", [mask(7, [0, 4])])
    (batch,) = batches()
    assert labels(batch, "predictions") == labels(batch, "groundtruths") == [["sky"] * 4]


@pytest.mark.parametrize(("overlap", "label"), [("first", "car"), ("last", "sky")])
def test_pixels_of_two_labels_are_given_to_one(overlap: str, label: str) -> None:
    write("true.json", [mask(3, [0, 2, 2]), mask(7, [1, 3])])
    write("seen.json", [])
    (batch,) = batches(overlap=overlap)
    assert labels(batch, "groundtruths") == [["car", label, "sky", "sky"]]


def test_pixels_of_two_labels_are_named() -> None:
    write("true.json", [mask(3, [0, 2, 2]), mask(3, [0, 1, 3]), mask(7, [1, 3])])
    write("seen.json", [])
    expect_refusal("expected one label per pixel")


@pytest.mark.parametrize(
    ("segmentation", "message"),
    [
        ({"size": [1, 3], "counts": [0, 3]}, "height and width [1, 4], found [1, 3]"),
        ({"size": [1, 4], "counts": [0, 3]}, "expected runs for 1 by 4 pixels"),
        ({"size": [1, 4], "counts": [-1]}, "expected non-negative run lengths, found -1"),
        ([[0, 0, 1, 1]], "expected polygons of 3 points or more, found 4 numbers"),
        (None, "expected polygons or run lengths, found None"),
    ],
)
def test_segmentations_that_are_none_are_named(segmentation: Any, message: str) -> None:
    write("true.json", [mask(3, None) | {"segmentation": segmentation}])
    write("seen.json", [])
    expect_refusal(message)


def test_an_image_without_a_size_is_named() -> None:
    one = {"image_id": 2, "category_id": 3, "segmentation": [[0, 0, 1, 0, 1, 1]]}
    write("true.json", [one], images=[{"id": 2}])
    write("seen.json", [])
    expect_refusal("expected an image with height and width")


def test_sizes_that_differ_name_the_image() -> None:
    images = [{"id": 2}]
    write("true.json", [segments("true", 2, [[5, 5, 5]], info(5, 7))], images=images)
    write("seen.json", [mask(7, [0, 4])])
    expect_refusal("expected 1 by 3 pixels (rows by columns)")


def test_a_panoptic_image_has_the_size_of_its_record() -> None:
    write("true.json", [segments("true", 2, [[5, 5, 5]], info(5, 7))])
    write("seen.json", [segments("seen", 2, [[5, 5, 5]], info(5, 7))])
    expect_refusal("expected 1 by 4 pixels (rows by columns)")


def test_annotations_of_two_kinds_in_one_file_are_rejected() -> None:
    write("true.json", [mask(7, [0, 4]), segments("true", 1, [[5]], info(5, 7))])
    write("seen.json", [])
    expect_refusal("annotations[1]: expected a segmentation")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400])
def test_corners_that_are_not_finite_are_named(number: float) -> None:
    write("true.json", [])
    polygon = {"image_id": 2, "category_id": 7, "segmentation": [[0, 0, number, 1, 1, 1]]}
    write("seen.json", [polygon])
    expect_refusal("annotations[0], segmentation[0][2]: expected a finite number")


def test_what_no_program_writes_is_an_error_that_names_the_place() -> None:
    write("true.json", [])
    write("seen.json", [mask(7, "\ud800")])
    expect_refusal("annotations[0], segmentation, counts: expected")

    polygon = {"image_id": 2, "category_id": 7, "segmentation": [[0, 0, 1, 0, 1, 1]]}
    write("true.json", [polygon], images=[{"id": 2, "height": 10**7, "width": 10**7}])
    write("seen.json", [])
    expect_refusal("annotations[0], segmentation: expected an image of at most")

    write("true.json", [], images=[{"id": 2, "height": 10**400, "width": 4}])
    expect_refusal("images[0], height: expected a whole number")

    named = segments("true", 2, [[5] * 4], info(5, 7))
    write("true.json", [named | {"file_name": "a\0.png"}])
    expect_refusal("annotations[0], file_name: expected a name")

    Path("true.json").write_text("[" * 100_000)
    expect_refusal("expected JSON, found lists nested too deeply")


def test_an_unknown_image_is_named() -> None:
    write("true.json", [])
    write("seen.json", [mask(7, [0, 4], image=9)])
    expect_refusal("expected the id of one of the 1 images")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the file ends in the middle"),
        ('{"a": 1}', "expected COCO's JSON with a list"),
        ('{"annotations": [1]}', "expected a table of fields, found 1"),
        ("[]", "expected a list, found None"),
        (
            '{"annotations": [], "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}]}',
            "expected every name once, found 'a' as name of ids 1 and 2",
        ),
        (
            '{"annotations": [], "categories": [{"id": 1}]}',
            "categories[0], name: expected a name, found None",
        ),
        (
            '{"annotations": [], "categories": [], "images": []}',
            "expected at least one image, found none",
        ),
    ],
)
def test_what_is_no_data_set_is_named(text: str, message: str) -> None:
    write("seen.json", [])
    Path("true.json").write_text(text)
    expect_refusal(message)


def test_parts_hold_some_images_each() -> None:
    write("true.json", [], images=IMAGES)
    write("seen.json", [])
    chosen = {"groundtruths": Path("true.json"), "predictions": Path("seen.json")}
    parts = CocoReader(CocoParameters(**chosen, partition_images=1), "segmentation").partitions()
    assert [part.name for part in parts] == ["images 1 to 1", "images 2 to 2"]
    assert parts[0].paths == (Path("true.json"), Path("seen.json"))


def test_missing_extra_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("coco", "documents", "panoptic"):
        monkeypatch.delitem(sys.modules, f"valor_segmentation.readers.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "valor_detection.coco_json", None)
    data = {"reader": "segmentation.coco", "groundtruths": "true.json", "predictions": "seen.json"}
    with pytest.raises(MissingExtraError, match=r"segmentation\[coco\]"):
        evaluate(data, ["mIOU"], "segmentation")


def test_compressed_file_is_read() -> None:
    write("true.json", [mask(3, [0, 4])])
    write("seen.json", [mask(3, [0, 4])])
    Path("true.json.gz").write_bytes(gzip.compress(Path("true.json").read_bytes()))
    (batch,) = batches(groundtruths=Path("true.json.gz"))
    assert labels(batch, "groundtruths") == [["car"] * 4]
