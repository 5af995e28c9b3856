"""Two folders of PNG images are known as label images, the ground truths first."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from valor_cli.program.program import program
from valor_segmentation.readers import recognized


def test_two_folders_of_png_images_are_label_images(tmp_path):
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder in folders:
        folder.mkdir()
        (folder / "a.png").write_bytes(b"")

    detected = recognized.png(folders)

    assert detected.data == {"groundtruths": str(folders[0]), "predictions": str(folders[1])}


def test_a_folder_without_images_is_not(tmp_path):
    assert recognized.png((tmp_path, tmp_path)) is None
    assert recognized.png((tmp_path,)) is None


def test_folders_and_files_of_arrays_are_label_images(tmp_path):
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder in folders:
        folder.mkdir()
        np.save(folder / "a.npy", np.zeros((2, 2), np.uint8))
    files = tuple(folder / "a.npy" for folder in folders)

    for both in (folders, files):
        assert recognized.npy(both).data["predictions"] == str(both[1])
        assert recognized.png(both) is None


def test_arrays_of_one_dimension_are_no_images(tmp_path):
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, np.zeros(3))

    assert recognized.npy((tmp_path / "a.npy", tmp_path / "b.npy")) is None


@pytest.mark.parametrize("images", [0, 40_000])
def test_panoptic_files_are_recognized_by_their_segments(tmp_path, images):
    files = tmp_path / "truth.json", tmp_path / "guess.json"
    content = {
        "images": [{"id": number, "file_name": f"{number:060}.jpg"} for number in range(images)],
        "annotations": [{"image_id": 1, "segments_info": []}],
        "categories": [],
    }
    for file in files:
        file.write_text(json.dumps(content))

    assert recognized.coco(files).data["groundtruths"] == str(files[0])
    assert recognized.coco((files[0], files[0])) is None


def test_geotiffs_are_recognized_by_their_suffix(tmp_path):
    files = tmp_path / "a.tif", tmp_path / "b.TIFF"

    assert recognized.geotiff(files).data["predictions"] == str(files[1])


@pytest.mark.parametrize(
    ("groundtruth", "prediction", "remedy"),
    [
        ([0, 255], [255, 0], """--set 'data.values={"255": "foreground"}'"""),
        ([0, 1], [1, 3], """--set 'data.values={"1": "label_1", "3": "label_3"}'"""),
        ([0, 128], [255, 0], """--set 'data.values={"128": "label_128", "255": "label_255"}'"""),
        (
            [1, 255],
            [1, 255],
            """--set 'data.values={"1": "label_1", "255": null}' --set 'data.ignore=[255]'""",
        ),
    ],
)
@pytest.mark.parametrize("suffix", [".png", ".npy"])
def test_masks_without_labels_show_a_setting_that_works(
    tmp_path, groundtruth, prediction, remedy, suffix
):
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder, values in zip(folders, (groundtruth, prediction), strict=True):
        folder.mkdir()
        image = np.array([values], np.uint8)
        if suffix == ".png":
            Image.fromarray(image).save(folder / "a.png")
        else:
            np.save(folder / "a.npy", image)
    command = ["run", *map(str, folders), "-m", "mIOU"]

    failed = CliRunner().invoke(program, command)

    assert remedy in failed.stderr

    worked = CliRunner().invoke(program, command + shlex.split(remedy))
    assert worked.exit_code == 0, worked.stderr
