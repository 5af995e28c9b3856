"""Reader of data sets in LVIS's format."""

import json
from pathlib import Path
from typing import Any

import pytest
from valor_detection.parameters.coco import CocoParameters
from valor_detection.readers.coco import CocoReader

from valor_core.schemas.detection import DetectionBatch


def images() -> list[dict[str, Any]]:
    """Two images of LVIS, which have no file_name."""
    return [
        {
            "id": number,
            "height": 10,
            "width": 20,
            "coco_url": f"http://images.cocodataset.org/{folder}/{number:012}.jpg",
            "not_exhaustive_category_ids": [],
            "neg_category_ids": [],
        }
        for number, folder in ((7, "train2017"), (3, "val2017"))
    ]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def read(truths: Any, found: Any, **chosen: Any) -> DetectionBatch:
        Path("gt.json").write_text(json.dumps(truths), encoding="utf-8")
        Path("dt.json").write_text(json.dumps(found), encoding="utf-8")
        parameters = CocoParameters(
            groundtruths=Path("gt.json"), predictions=Path("dt.json"), **chosen
        )
        reader = CocoReader(parameters, "detection")
        (batch,) = [batch for each in reader.partitions() for batch in reader.read(each)]
        return batch

    return read


def test_image_without_file_name_has_folder_and_file_of_its_address(read: Any) -> None:
    batch = read({"images": images(), "annotations": [], "categories": []}, [])

    assert batch.datums.metadata["file_name"].tolist() == [
        "val2017/000000000003.jpg",
        "train2017/000000000007.jpg",
    ]
    assert "neg_category_ids" not in batch.datums.metadata


def test_results_may_name_the_files_of_addresses(read: Any) -> None:
    result = {"image_id": "000000000007", "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}
    data_set = {"images": images(), "annotations": [], "categories": [{"id": 1, "name": "dog"}]}

    assert read(data_set, [result]).predictions.datums.tolist() == [1]
