"""Two folders of PNG images are known as label images, the ground truths first."""

from __future__ import annotations

import json

import numpy as np
import pytest
from valor_segmentation.readers import recognized


def test_two_folders_of_png_images_are_label_images(tmp_path):
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder in folders:
        folder.mkdir()
        (folder / "a.png").write_bytes(b"")

    known = recognized.png(folders)

    assert known.data == {"groundtruths": str(folders[0]), "predictions": str(folders[1])}


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
