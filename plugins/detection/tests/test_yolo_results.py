"""A data.yaml of YOLO followed by Ultralytics' predictions.json, as people type it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from PIL import Image
from valor_cli.program.program import program
from valor_detection.readers.yolo_results import _COCO_IDS, _class_numbers

from valor_core import evaluate
from valor_core.errors import ReadError

NAMES = ("cat", "dog", "cow")
PERFECT = {"cat": 1.0, "cow": 1.0}


@pytest.fixture(autouse=True)
def data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two images of the split val, one of train; a cat and a cow on each."""
    monkeypatch.chdir(tmp_path)
    for split, stems in {"train": ["other"], "val": ["scene.01", "000000139"]}.items():
        for kind in ("images", "labels"):
            Path(kind, split).mkdir(parents=True)
        for stem in stems:
            Image.new("RGB", (100, 50)).save(f"images/{split}/{stem}.jpg")
            lines = "0 0.5 0.5 0.2 0.4\n2 0.2 0.2 0.2 0.2\n"
            Path(f"labels/{split}/{stem}.txt").write_text(lines)
    names = ", ".join(NAMES)
    Path("data.yaml").write_text(f"train: images/train\nval: images/val\nnames: [{names}]\n")


def results(image: str | int, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the cat and the cow of an image, which the labels have too."""
    boxes = [[40, 15, 20, 20], [10, 5, 20, 10]]
    return [
        {"image_id": image, "category_id": number, "bbox": box, "score": 0.9}
        for number, box in zip(ids, boxes, strict=False)
    ]


def run(found: list[dict[str, Any]], *options: str) -> Result:
    Path("predictions.json").write_text(json.dumps(found))
    command = ["run", "data.yaml", "predictions.json", "-m", "AP", "--json", *options]
    return CliRunner().invoke(program, command)


def values(result: Result) -> dict[str, float]:
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["results"]
    return {
        one["parameters"]["label"]: one["value"]
        for one in found
        if one["parameters"]["iou_threshold"] == 0.5
    }


@pytest.mark.parametrize("ids", [(0, 2), (1, 3)], ids=["from_0", "from_1"])
def test_valor_run_data_yaml_predictions_json_gives_numbers(ids: tuple[int, int]) -> None:
    result = run(results("scene.01", ids) + results(139, ids))

    assert values(result) == PERFECT
    data = json.loads(result.stdout)["config"]["data"]
    assert data["groundtruths"] == "labels/val"
    assert data["predictions"] == "predictions.json"


@pytest.mark.parametrize("image", ["scene.01", "scene.01.jpg", 139])
def test_image_is_matched_by_stem_file_name_or_number(image: str | int) -> None:
    values_found = values(run(results(image, (0, 2))))

    assert values_found == pytest.approx(dict.fromkeys(PERFECT, 51 / 101))


def test_evaluate_data_yaml_and_predictions_json() -> None:
    found = results("scene.01", (0, 2)) + results(139, (0, 2))
    Path("predictions.json").write_text(json.dumps(found))

    report = evaluate("data.yaml", "predictions.json", ["mAP50"])

    assert float(report["mAP50"]) == 1.0


def test_category_ids_without_a_name_are_excluded_with_a_warning() -> None:
    stranger = results("scene.01", [7])
    result = run(results("scene.01", (0, 2)) + results(139, (0, 2)) + stranger)

    assert values(result) == PERFECT
    expected = "1 prediction left out: category_id without a name among the 3 classes"
    assert expected in result.stderr


def test_ids_that_may_start_at_0_or_1_ask_for_the_first() -> None:
    found = results("scene.01", [1]) + results(139, [1])

    failed = run(found)

    assert failed.exit_code != 0
    assert "expected category ids with 0 or 3, which show whether they start" in failed.stderr
    assert "Set data.first_category to 1" in failed.stderr
    assert values(run(found, "--set", "data.first_category=1"))["cat"] == 1.0
    assert values(run(found, "--set", "data.first_category=0"))["cat"] == 0.0


def test_image_of_another_split_is_an_error() -> None:
    found = results("scene.01", (0, 2)) + results("nowhere", (0, 2))

    message = "results[2]: expected the name or number of one of the 2 images as image_id"
    assert message in run(found).stderr


def test_result_without_a_box_names_text_files() -> None:
    found = results("scene.01", (0, 2))
    del found[1]["bbox"]
    Path("predictions.json").write_text(json.dumps(found))

    with pytest.raises(ReadError, match="expected a field 'bbox', found none") as caught:
        evaluate("data.yaml", "predictions.json", ["mAP50"])
    assert "save_txt=True save_conf=True" in str(caught.value)


def test_masks_in_results_are_compared_by_their_boxes() -> None:
    mask = {"size": [50, 100], "counts": "PP1"}
    found = [{**one, "segmentation": mask} for one in results("scene.01", (0, 2))]

    result = run(found + results(139, (0, 2)))

    assert values(result) == PERFECT
    assert "2 predictions with a segmentation or keypoints in JSON" in result.stderr


def test_empty_results_miss_all_objects() -> None:
    assert values(run([])) == dict.fromkeys(PERFECT, 0.0)


def test_ids_of_coco_are_its_80_classes() -> None:
    names = dict(enumerate(["person", *map(str, range(1, 79)), "toothbrush"]))

    assert _class_numbers(_COCO_IDS, names, None, "").tolist() == list(names)
    assert _class_numbers(_COCO_IDS[[11, 79]] + [-1, 0], names, None, "").tolist() == [-1, 79]
