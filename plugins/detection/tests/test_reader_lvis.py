"""Reader of data sets in LVIS's format."""

import json
from pathlib import Path
from typing import Any

import pytest
from messages import refused
from valor_detection.matching.label_groups import GroupedBatch
from valor_detection.parameters.coco import CocoParameters
from valor_detection.readers.coco import CocoReader

from valor_core import Evaluator, evaluate
from valor_core.errors import ReadError
from valor_core.schemas import Label
from valor_core.schemas.detection import DetectionBatch

BOX = {"bbox": [0, 0, 2, 2], "area": 4}


def data_set(**changed: Any) -> dict[str, Any]:
    """Two images of LVIS, which have no file_name."""
    images = [
        {
            "id": number,
            "height": 10,
            "width": 20,
            "coco_url": f"http://images.cocodataset.org/{folder}/{number:012}.jpg",
            "not_exhaustive_category_ids": not_exhaustive,
            "neg_category_ids": negative,
        }
        for number, folder, not_exhaustive, negative in (
            (7, "train2017", [4], [6, 99]),  # 99 is no category
            (3, "val2017", [], [4]),
        )
    ]
    content = {
        "images": images,
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 5, **BOX},
            {"id": 2, "image_id": 7, "category_id": 4, **BOX, "ignore": 1},
            {"id": 3, "image_id": 3, "category_id": 5, **BOX},
            {"id": 4, "image_id": 3, "category_id": 6, **BOX, "area": 0},
        ],
        "categories": [
            {"id": 5, "name": "dog", "frequency": "f"},
            {"id": 4, "name": "cat", "frequency": "r"},
            {"id": 6, "name": "owl", "frequency": "r"},
        ],
    }
    return content | changed


RESULTS = [
    {"image_id": 7, "category_id": 5, "bbox": [0, 0, 2, 2], "score": 0.5},
    {"image_id": 3, "category_id": 4, "bbox": [0, 0, 2, 2], "score": 0.75},
]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def read(truths: Any, found: Any = RESULTS, **chosen: Any) -> list[DetectionBatch]:
        Path("gt.json").write_text(json.dumps(truths), encoding="utf-8")
        Path("dt.json").write_text(json.dumps(found), encoding="utf-8")
        parameters = CocoParameters(
            groundtruths=Path("gt.json"), predictions=Path("dt.json"), **chosen
        )
        reader = CocoReader(parameters, "detection")
        return [batch for each in reader.partitions() for batch in reader.read(each)]

    return read


def searched(batch: DetectionBatch) -> list[tuple[Any, list[str]]]:
    """Names of images with their searched labels."""
    return [(item.uid, [label.value for label in item.searched or ()]) for item in batch.items()]


def test_searched_labels_are_positive_or_negative_and_exhaustive(read: Any) -> None:
    (batch,) = read(data_set())

    # Image 3: dog is positive, cat negative; the owl has no area, so lvis-api excludes it.
    # Image 7: dog is positive, owl negative; cat is positive, but not annotated exhaustively.
    assert searched(batch) == [(3, ["cat", "dog"]), (7, ["dog", "owl"])]


@pytest.mark.parametrize("step", [None, 1])
def test_parts_of_files_have_the_same_searched_labels(read: Any, step: int | None) -> None:
    batches = read(data_set(), partition_images=step)

    assert len(batches) == (1 if step is None else 2)
    assert [pair for batch in batches for pair in searched(batch)] == [
        (3, ["cat", "dog"]),
        (7, ["dog", "owl"]),
    ]


def test_labels_have_the_frequencies_of_their_categories(read: Any) -> None:
    (batch,) = read(data_set())

    assert isinstance(batch, GroupedBatch)
    assert [label.value for label in batch.labels] == ["cat", "dog", "owl"]
    assert batch.label_groups == ("r", "f", "r")


def test_joined_labels_of_two_frequencies_have_none(read: Any) -> None:
    (batch,) = read(data_set())
    cat, dog, owl = (Label("class", name) for name in ("cat", "dog", "owl"))

    assert batch.relabel({owl: cat}).label_groups == ("r", "f")
    assert batch.relabel({dog: cat}).label_groups == ("", "r")


def test_data_set_without_frequencies_is_read(read: Any) -> None:
    categories = [{"id": number, "name": str(number)} for number in (4, 5, 6)]
    (batch,) = read(data_set(categories=categories))

    assert not isinstance(batch, GroupedBatch)
    assert batch.searched.tolist() == [[0, 0], [0, 1], [1, 1], [1, 2]]


def test_ignore_flag_counts_in_lvis_and_not_in_coco(read: Any) -> None:
    (batch,) = read(data_set())
    assert batch.groundtruths.ignored.tolist() == [False, False, False, True]

    (batch,) = read(data_set(images=[{"id": 3}, {"id": 7}]))
    assert batch.groundtruths.ignored.tolist() == [False] * 4
    assert batch.searched is None


def test_image_without_file_name_has_folder_and_file_of_its_address(read: Any) -> None:
    (batch,) = read(data_set())

    assert batch.datums.metadata["file_name"].tolist() == [
        "val2017/000000000003.jpg",
        "train2017/000000000007.jpg",
    ]
    assert "neg_category_ids" not in batch.datums.metadata


def test_results_may_name_the_files_of_addresses(read: Any) -> None:
    (batch,) = read(data_set(), [RESULTS[0] | {"image_id": "000000000007"}])

    assert batch.predictions.datums.tolist() == [1]


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}


IMAGES, CATEGORIES = data_set()["images"], data_set()["categories"]
DAMAGED = [
    {"images": [IMAGES[0], without(IMAGES[1], "neg_category_ids")]},
    {"images": [IMAGES[0], IMAGES[1] | {"neg_category_ids": 4}]},
    {"images": [IMAGES[0] | {"not_exhaustive_category_ids": ["cat"]}, IMAGES[1]]},
    {"categories": [*CATEGORIES[:2], CATEGORIES[2] | {"frequency": "rare"}]},
    {"categories": [*CATEGORIES[:2], without(CATEGORIES[2], "frequency")]},
]


@pytest.mark.parametrize("changed", DAMAGED)
@pytest.mark.parametrize("step", [None, 1])
def test_invalid_fields_are_errors(read: Any, step: int | None, changed: dict[str, Any]) -> None:
    with refused(ReadError):
        read(data_set(**changed), partition_images=step)


def test_parts_of_files_give_the_same_numbers(read: Any) -> None:
    read(data_set())
    data = {"reader": "coco", "groundtruths": "gt.json", "predictions": "dt.json"}
    whole, parts = (
        evaluate(data | more, ["LVISSummary"], task="detection")["LVISSummary"].value
        for more in ({}, {"partition_images": 1})
    )

    assert whole == parts
    # Rare labels: of the cat's two images, one has a false positive and one an ignored object. No
    # ground truth counts.
    assert (whole["APr"], whole["APf"]) == (None, pytest.approx(51 / 101))


@pytest.mark.parametrize("step", [None, 1])
@pytest.mark.parametrize("metric", ["COCOSummary", "mAP", "AR"])
def test_averages_under_coco_warn_of_lvis(read: Any, step: int | None, metric: str) -> None:
    read(data_set())
    data = {"reader": "coco", "groundtruths": "gt.json", "predictions": "dt.json"}
    data |= {"partition_images": step}
    (warning,) = evaluate(data, [metric], task="detection").warnings

    assert warning.startswith("annotators searched for a part of the labels in each image")
    assert warning.endswith("set matching: lvis, or use LVISSummary")


def test_lvis_protocol_and_counts_have_no_warning(read: Any) -> None:
    read(data_set())
    data = {"reader": "coco", "groundtruths": "gt.json", "predictions": "dt.json"}
    metrics = ["LVISSummary", {"name": "mAP", "matching": "lvis"}, "Counts"]

    assert evaluate(data, metrics, task="detection").warnings == ()


def test_states_keep_frequencies_and_warnings(read: Any, tmp_path: Path) -> None:
    (batch,) = read(data_set())
    evaluator = Evaluator(["LVISSummary", "mAP"], task="detection")
    evaluator.update(batch)
    evaluator.save(tmp_path / "state")
    report, loaded = evaluator.compute(), Evaluator.load(tmp_path / "state").compute()

    assert loaded["LVISSummary"].value == report["LVISSummary"].value
    assert loaded["LVISSummary"].value["APf"] is not None
    assert loaded.warnings == report.warnings != ()
