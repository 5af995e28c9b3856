"""Two folders of PNG images are known as label images, the ground truths first."""

from __future__ import annotations

import ast
import json
import shlex
import warnings

import numpy as np
import pytest
import rasterio
from click.testing import CliRunner
from PIL import Image
from valor_cli.program.program import program
from valor_segmentation.readers import recognized

from valor_core import evaluate
from valor_core.errors import ReadError


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


def folders_of(tmp_path, suffix, groundtruths, predictions):
    """Folders of images on both sides, each of them a list of rows of values."""
    folders = tmp_path / "truth", tmp_path / "guess"
    for folder, images in zip(folders, (groundtruths, predictions), strict=True):
        folder.mkdir()
        for number, values in enumerate(images):
            image = np.array(values, np.uint8)
            if suffix == ".npy":
                np.save(folder / f"{number}.npy", image)
            elif suffix == ".png":
                Image.fromarray(image).save(folder / f"{number}.png")
            else:
                write_raster(folder / f"{number}.tif", image)
    return folders


def write_raster(path, image):
    profile = {"driver": "GTiff", "count": 1, "dtype": "uint8"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        height, width = image.shape
        with rasterio.open(path, "w", height=height, width=width, **profile) as raster:
            raster.write(image, 1)


SUFFIXES = (".png", ".npy", ".tif")


def ious(report):
    return {one.parameters["label"]: one.value for one in report.find("IOU")}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_two_folders_of_masks_are_evaluated_with_values_as_labels(tmp_path, suffix):
    groundtruths = [[[0, 1, 1]], [[0, 0, 3]], [[0, 0, 0]]]
    folders = folders_of(tmp_path, suffix, groundtruths, [[[0, 0, 1]], [[0, 0, 3]], [[0, 0, 0]]])

    report = evaluate(*folders, ["IOU", "mIOU"])

    assert ious(report) == {"1": 1 / 2, "3": 1}
    assert report["mIOU"].value == 3 / 4
    named = {"values": {"1": "1", "3": "3"}}
    sides = dict(zip(("groundtruths", "predictions"), map(str, folders), strict=True))
    reader = {".tif": "geotiff"}.get(suffix, suffix[1:])
    config = {"reader": f"segmentation.{reader}", **sides, **named}
    assert evaluate(config, ["IOU", "mIOU"], "segmentation").results == report.results


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_masks_of_0_and_255_have_the_label_foreground(tmp_path, suffix):
    folders = folders_of(tmp_path, suffix, [[[0, 255, 255]]], [[[0, 0, 255]]])

    assert ious(evaluate(*folders, ["IOU"])) == {"foreground": 1 / 2}


@pytest.mark.parametrize("suffix", [".png", ".npy"])
@pytest.mark.parametrize(("true", "predicted"), [(1, 255), (255, 1)])
def test_masks_of_0_and_1_are_compared_with_masks_of_0_and_255(tmp_path, suffix, true, predicted):
    folders = folders_of(tmp_path, suffix, [[[0, true, true]]], [[[0, 0, predicted]]])

    assert ious(evaluate(*folders, ["IOU"])) == {"foreground": 1 / 2}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_255_after_the_sampled_images_is_no_silent_label(tmp_path, suffix):
    plain = [[[0, 1, 1]]] * 30
    folders = folders_of(tmp_path, suffix, [*plain, [[1, 1, 255]]], [*plain, [[0, 1, 1]]])

    with pytest.raises(ReadError) as raised:
        evaluate(*folders, ["IOU"])

    assert raised.value.message.startswith("image '30': expected labels of the values, found none")
    assert "data.ignore=[255]" in raised.value.remedy
    assert "data.values=" in raised.value.remedy


def test_masks_in_black_and_white_have_the_label_foreground(tmp_path):
    black, white = [0, 0, 0], [255, 255, 255]
    sides = [[[black, white, white]]], [[[black, black, white]]]
    folders = folders_of(tmp_path, ".png", *sides)

    assert ious(evaluate(*folders, ["IOU"])) == {"foreground": 1 / 2}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pixels_of_255_next_to_small_values_do_not_count(tmp_path, suffix):
    folders = folders_of(tmp_path, suffix, [[[0, 1, 255, 255]]], [[[0, 1, 1, 255]]])

    result = CliRunner().invoke(program, ["run", *map(str, folders), "-m", "IOU", "--json"])

    found = json.loads(result.stdout)
    assert [one["value"] for one in found["results"]] == [1.0]
    assert found["config"]["data"]["ignore"] == [255]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_config_without_labels_asks_whether_255_counts(tmp_path, suffix):
    folders = folders_of(tmp_path, suffix, [[[0, 1, 255]]], [[[0, 1, 1]]])
    reader = {".tif": "geotiff"}.get(suffix, suffix[1:])
    saved = tmp_path / "run.yaml"
    saved.write_text(
        f"task: segmentation\ndata: {{reader: {reader}, groundtruths: {folders[0]}, "
        f"predictions: {folders[1]}}}\nmetrics: [IOU]\n"
    )

    failed = CliRunner().invoke(program, ["run", str(saved)])

    remedy = "--set 'data.ignore=[255]'"
    assert "255 may be a value that does not count" in failed.stderr
    assert remedy in failed.stderr
    worked = CliRunner().invoke(program, ["run", str(saved), *shlex.split(remedy)])
    assert worked.exit_code == 0, worked.stderr


def test_masks_in_colors_show_a_palette_that_works(tmp_path):
    red, blue = [255, 0, 0], [0, 0, 255]
    folders = folders_of(tmp_path, ".png", [[[red, blue]]], [[[red, red]]])
    command = ["run", *map(str, folders), "-m", "IOU"]

    failed = CliRunner().invoke(program, command)

    remedy = """--set 'data.palette={"#ff0000": "label_1", "#0000ff": "label_2"}'"""
    assert f"Name them: {remedy}\n" in failed.stderr
    worked = CliRunner().invoke(program, command + shlex.split(remedy))
    assert worked.exit_code == 0, worked.stderr


def test_photos_instead_of_masks_are_rejected(tmp_path):
    photo = np.arange(256).reshape(16, 16).tolist()
    folders = folders_of(tmp_path, ".png", [photo], [photo])

    with pytest.raises(ReadError, match="expected values of labels, found 254 values"):
        evaluate(*folders, ["IOU"])


def remedy_in_python(folders, suffix):
    """Return the data and the key that the remedy of `evaluate` adds to it."""
    data = dict(zip(("groundtruths", "predictions"), map(str, folders), strict=True))
    data["reader"] = {".tif": "geotiff"}.get(suffix, suffix[1:])
    with pytest.raises(ReadError) as caught:
        evaluate(data, ["IOU"], "segmentation")
    start, _, key = caught.value.remedy.rpartition("In Python, add a key to the data: ")
    assert start.endswith("\n")
    return data, ast.literal_eval(key.replace("'reader': ..., ", ""))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_evaluate_with_255_next_to_small_values_names_the_key_that_works(tmp_path, suffix):
    folders = folders_of(tmp_path, suffix, [[[0, 1, 255]]], [[[0, 1, 1]]])

    data, added = remedy_in_python(folders, suffix)

    assert added == {"ignore": [255]}
    assert ious(evaluate({**data, **added}, ["IOU"], "segmentation")) == {"1": 1.0}


def test_evaluate_of_masks_in_colors_names_a_palette_that_works(tmp_path):
    red, blue = [255, 0, 0], [0, 0, 255]
    folders = folders_of(tmp_path, ".png", [[[red, blue]]], [[[red, red]]])

    data, added = remedy_in_python(folders, ".png")

    assert ious(evaluate({**data, **added}, ["IOU"], "segmentation")) == {
        "label_1": 0.5,
        "label_2": 0.0,
    }
