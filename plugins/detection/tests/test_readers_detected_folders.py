"""Folders of YOLO and Pascal VOC are read without naming the reader."""

from __future__ import annotations

import struct

import pytest
from valor_detection.readers.recognized import voc, yolo

from valor_core import evaluate
from valor_core.errors import ReadError

PNG = (
    b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 100, 100) + b"\x08\0\0\0\0" + bytes(4)
)
TRUE, SEEN = "0 0.5 0.5 0.2 0.2\n", "0 0.5 0.5 0.2 0.2 0.9\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


def mean_average_precision(known):
    report = evaluate({"reader": "yolo", **known.data}, ["mAP50"], task="detection")
    return report["mAP"][0].value


@pytest.mark.parametrize("second", ["runs/predict/labels", "runs/predict", "runs"])
@pytest.mark.parametrize("first", ["data/data.yaml", "data", "data/labels/val"])
def test_yolo_data_yaml_gives_names_and_images(write, first, second):
    folder = write(
        {
            "data/data.yaml": "path: .\ntrain: images/train\nval: images/val\nnames: {0: cat}\n",
            "data/images/train/a.png": PNG,
            "data/labels/train/a.txt": TRUE,
            "data/images/val/b.png": PNG,
            "data/labels/val/b.txt": TRUE,
            "runs/predict/labels/b.txt": SEEN,
        }
    )

    known = yolo((folder / first, folder / second))

    assert known.needs == {}
    assert known.data["groundtruths"] == str(folder / "data/labels/val")
    assert mean_average_precision(known) == pytest.approx(1)


def test_split_of_the_predictions_is_the_ground_truth(write):
    folder = write(
        {
            "data.yaml": "train: ../train/images\nval: ../valid/images\nnames: [cat]\n",
            "train/images/a.png": PNG,
            "train/labels/a.txt": TRUE,
            "valid/images/b.png": PNG,
            "valid/labels/b.txt": TRUE,
            "pred/a.txt": SEEN,
        }
    )

    known = yolo((folder / "data.yaml", folder / "pred"))

    assert known.data["groundtruths"] == str(folder / "train/labels")
    assert mean_average_precision(known) == pytest.approx(1)


DATA_SET = {
    "data/images/a/1.png": PNG,
    "data/images/b/2.png": PNG,
    "data/labels/a/1.txt": TRUE,
    "data/labels/b/2.txt": TRUE,
    "pred/1.txt": SEEN,
    "pred/2.txt": SEEN,
}


@pytest.mark.parametrize("first", ["data/data.yaml", "data"])
@pytest.mark.parametrize(
    "val",
    ["val.txt", "[val.txt]", "[images/a, images/b]", "[a.txt, images/b]"],
)
def test_data_yaml_with_lists_of_images_or_several_folders(write, first, val):
    folder = write(
        DATA_SET
        | {
            "data/data.yaml": f"path: .\ntrain: images/a\nval: {val}\nnames: [cat]\n",
            "data/val.txt": "./images/a/1.png\n./images/b/2.png\n",
            "data/a.txt": "images/a/1.png\n",
        }
    )
    # predictions of an image that only the validation split has
    (folder / "pred/1.txt").unlink()

    report = evaluate(folder / first, folder / "pred", ["mAP50", "Counts"])

    assert report.counts["read"] == 2
    counts = next(one.value for one in report.find("Counts"))
    assert (counts["tp"], counts["fn"]) == (1, 1)


def test_listed_image_without_labels_has_no_objects(write):
    folder = write(
        DATA_SET
        | {
            "data/images/a/3.png": PNG,
            "data/data.yaml": "val: val.txt\nnames: [cat]\n",
            "data/val.txt": "images/a/1.png\nimages/a/3.png\n",
            "pred/3.txt": SEEN,
        }
    )
    (folder / "pred/2.txt").unlink()

    report = evaluate(folder / "data/data.yaml", folder / "pred", ["Counts"])

    counts = next(one.value for one in report.find("Counts"))
    assert (report.counts["read"], counts["tp"], counts["fp"]) == (2, 1, 1)


def test_two_folders_with_an_image_of_the_same_name_are_rejected(write):
    folder = write(
        DATA_SET
        | {
            "data/images/b/1.png": PNG,
            "data/labels/b/1.txt": TRUE,
            "data/data.yaml": "val: [images/a, images/b]\nnames: [cat]\n",
        }
    )

    with pytest.raises(ReadError, match="expected each image once, found '1' also as"):
        evaluate(folder / "data/data.yaml", folder / "pred", ["mAP50"])


def test_images_of_another_split_name_the_first_label_without_one(write):
    folder = write(DATA_SET | {"names.txt": "cat\n"})
    data = {"groundtruths": "data/labels/a", "predictions": "pred", "images": "data/images/b"}

    with pytest.raises(ReadError, match="expected an image for every file of labels, found none"):
        evaluate({"reader": "yolo", "names": folder / "names.txt", **data}, ["mAP50"], "detection")


def test_pose_data_yaml_suggests_metrics_of_keypoints(write):
    points = " 0.5 0.5 2" * 17
    folder = write(
        {
            "data.yaml": "val: images\nkpt_shape: [17, 3]\nnames: [person]\n",
            "images/a.png": PNG,
            "labels/a.txt": TRUE.strip() + points,
            "pred/a.txt": TRUE.strip() + points + " 0.9",
        }
    )

    known = yolo((folder / "data.yaml", folder / "pred"))

    assert known.metrics[0] == "KeypointSummary"
    report = evaluate(folder / "data.yaml", folder / "pred", ["KeypointSummary", "mAP50"])
    assert report["KeypointSummary"].value["AP"] == pytest.approx(1)


def test_oriented_boxes_of_a_data_yaml_are_polygons(write):
    corners = "0 0.4 0.5 0.5 0.4 0.6 0.5 0.5 0.6"
    folder = write(
        {
            "data.yaml": "val: images\nnames: [ship]\n",
            "images/a.png": PNG,
            "labels/a.txt": corners,
            "pred/a.txt": f"{corners} 0.9",
        }
    )

    report = evaluate(folder / "data.yaml", folder / "pred", ["mAP50-95"])

    assert report.results[0].value == pytest.approx(1)


def test_yolo_folders_alone_need_names_and_images(write):
    folder = write({"labels/a.txt": TRUE, "pred/a.txt": SEEN})

    assert list(yolo((folder / "labels", folder / "pred")).needs) == ["names", "images"]


def test_model_without_detections_is_recognized(write):
    folder = write({"labels/a.txt": TRUE, "classes.txt": "cat\n", "images/a.png": PNG})
    (folder / "pred").mkdir()

    assert mean_average_precision(yolo((folder / "labels", folder / "pred"))) == 0


@pytest.mark.parametrize(
    "result",
    [
        {"pred/comp4_det_test_cat.txt": "a 0.9 1 1 50 50\n"},
        {"pred/a.xml": "<annotation><object/></annotation>"},
    ],
    ids=["text", "xml"],
)
def test_voc_folders_are_recognized(write, result):
    folder = write({"truth/a.xml": "<annotation></annotation>", **result})
    both = folder / "truth", folder / "pred"

    assert voc(both).data == {"groundtruths": str(both[0]), "predictions": str(both[1])}
    assert yolo(both) is None


@pytest.mark.parametrize("first", ["VOC2007", "VOC2007/Annotations"])
def test_images_of_the_split_in_the_names_of_results_are_evaluated(write, first):
    folder = write(
        {
            "VOC2007/Annotations/a.xml": "<annotation></annotation>",
            "VOC2007/Annotations/b.xml": "<annotation></annotation>",
            "VOC2007/ImageSets/Main/test.txt": "a\n",
            "VOC2007/ImageSets/Main/val.txt": "b\n",
            "results/comp4_det_test_cat.txt": "a 0.5 1 1 4 2\n",
        }
    )

    assert voc((folder / first, folder / "results")).data == {
        "groundtruths": str(folder / "VOC2007/Annotations"),
        "predictions": str(folder / "results"),
        "images": str(folder / "VOC2007/ImageSets/Main/test.txt"),
    }


def test_folders_of_other_text_files_are_not_recognized(write):
    folder = write({"a/notes.txt": "five words that are notes\n", "b/c.txt": "1 2 3 4 5 6\n"})

    for both in ((folder / "a", folder / "b"), (folder / "b", folder / "b"), (folder / "a",)):
        assert yolo(both) is None
        assert voc(both) is None
