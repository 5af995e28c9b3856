"""PNG label images become batches, and what does not fit is named."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_segmentation.parameters.readers import PngParameters
from valor_segmentation.readers.png import PngReader

from valor_core.errors import MissingExtraError, ReadError
from valor_core.packages import ways
from valor_core.schemas.segmentation import SegmentationBatch

RED, BLUE, GRAY, BLACK = (255, 0, 0), (0, 0, 255), (128, 128, 128), (0, 0, 0)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, pixels: Any, dtype: Any = np.uint8) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.array(pixels, dtype)).save(path)


def reader(**parameters: Any) -> PngReader:
    chosen = {"groundtruths": Path("true"), "predictions": Path("seen")} | parameters
    return PngReader(PngParameters(**chosen), "segmentation")


def batches(**parameters: Any) -> list[SegmentationBatch]:
    found = reader(**parameters)
    return [batch for part in found.partitions() for batch in found.read(part)]


def codes(batch: SegmentationBatch, side: str = "groundtruths") -> list[Any]:
    """Label codes of the pixels of every image of one side."""
    maps = getattr(batch.layers[0], side)
    return [None if one is None else code_image(one).tolist() for one in maps]


def code_image(one: Any) -> Any:
    image = one.pixels.read(0, one.pixels.shape[0])
    return one.legend.codes[np.searchsorted(one.legend.values, image)]


def expect_refusal(match: str, **parameters: Any) -> None:
    with pytest.raises(ReadError, match=re.escape(match)):
        batches(**parameters)


def test_images_are_matched_by_name() -> None:
    write("true/b.png", [[0, 1, 255]])
    write("true/sub/a.png", [[2]])
    write("seen/b.png", [[2, 1, 0]])
    write("seen/sub/a.png", [[1]])
    (batch,) = batches(labels=["cat", "dog"], ignore=[255])
    assert batch.datums.uids.tolist() == ["b", "sub/a"]
    assert [str(label) for label in batch.labels] == ["cat", "dog"]
    assert codes(batch) == [[[-1, 0, -2]], [[1]]]
    assert codes(batch, "predictions") == [[[1, 0, -1]], [[0]]]


def test_parts_hold_some_images_each_and_name_their_files() -> None:
    for name in "abc":
        write(f"true/{name}.png", [[1]])
        write(f"seen/{name}.png", [[1]])
    parts = reader(labels=["cat"], partition_images=2).partitions()
    assert [part.name for part in parts] == ["images 'a' to 'b'", "images 'c' to 'c'"]
    assert parts[1].paths == (Path("true/c.png"), Path("seen/c.png"))


def test_values_are_labels_of_a_mapping() -> None:
    write("true/a.png", [[0, 7, 11, 33]])
    write("seen/a.png", [[7, 7, 0, 33]])
    (batch,) = batches(values={7: "road", 11: "road", 33: None}, label_key="ground")
    assert codes(batch) == [[[-1, 0, 0, -1]]]
    assert str(batch.labels[0]) == "ground: road"


def test_endings_are_what_names_differ_in() -> None:
    write("true/a_labelIds.png", [[1]])
    write("true/a_color.png", [RED])
    write("seen/a_pred.png", [[1]])
    endings = {"groundtruth_ending": "_labelIds.png", "prediction_ending": "_pred.png"}
    (batch,) = batches(labels=["cat"], **endings)
    assert batch.datums.uids.tolist() == ["a"]


def test_files_of_the_system_are_skipped() -> None:
    write("true/a.png", [[1]])
    write("seen/a.png", [[1]])
    Path("true/._a.png").write_bytes(b"")
    assert len(batches(labels=["cat"])) == 1


def test_two_files_with_any_names_are_a_pair() -> None:
    write("true.png", [[1]])
    write("seen.png", [[0]])
    files = {"groundtruths": Path("true.png"), "predictions": Path("seen.png")}
    (batch,) = batches(labels=["cat"], **files)
    assert batch.datums.uids.tolist() == ["true"]


def test_colors_are_mapped_to_labels() -> None:
    write("true/a.png", [[RED, BLUE, BLACK, GRAY]])
    write("seen/a.png", [[BLUE, BLUE, RED, BLACK]])
    palette = {"#FF0000": "road", "[0, 0, 255]": "sky"}
    (batch,) = batches(palette=palette, ignore=["#808080"])
    assert codes(batch) == [[[0, 1, -1, -2]]]
    assert codes(batch, "predictions") == [[[1, 1, 0, -1]]]


def test_a_palette_reads_indexed_images_by_their_colors() -> None:
    image = Image.fromarray(np.array([[0, 1]], np.uint8), mode=None).convert("P")
    image.putpalette([*BLUE, *RED])
    for folder in ("true", "seen"):
        Path(folder).mkdir()
        image.save(f"{folder}/a.png")
    (batch,) = batches(palette={"#ff0000": "road", "#0000ff": "sky"})
    assert codes(batch) == [[[1, 0]]]
    (batch,) = batches(labels=["cat"])
    assert codes(batch) == [[[-1, 0]]]


def test_an_unknown_color_is_named() -> None:
    write("true/a.png", [[RED, GRAY, GRAY, BLUE]])
    write("seen/a.png", [[RED] * 4])
    expect_refusal("expected a color of data.palette", palette={"#ff0000": "road"})


def test_a_color_that_does_not_count_is_no_prediction() -> None:
    write("true/a.png", [[GRAY]])
    write("seen/a.png", [[GRAY]])
    expect_refusal(
        "expected a color of data.palette", palette={"#ff0000": "road"}, ignore=["#808080"]
    )


@pytest.mark.parametrize(("depth", "row"), [(1, 0b01_00_00_00), (2, 0b00_01_00_00), (4, 0x01)])
def test_gray_levels_of_few_bits_are_as_the_file_has_them(depth: int, row: int) -> None:
    content = b"\x89PNG\r\n\x1a\n"
    for kind, data in (
        (b"IHDR", struct.pack(">IIBBBBB", 2, 1, depth, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes([0, row]))),
        (b"IEND", b""),
    ):
        content += struct.pack(">I", len(data)) + kind + data
        content += struct.pack(">I", zlib.crc32(kind + data))
    for folder in ("true", "seen"):
        Path(folder).mkdir()
        Path(folder, "a.png").write_bytes(content)
    (batch,) = batches(labels=["cat"])
    assert codes(batch) == [[[-1, 0]]]


def test_gray_levels_of_16_bits_are_read() -> None:
    write("true/a.png", [[0, 300]], np.uint16)
    write("seen/a.png", [[300, 0]], np.uint16)
    (batch,) = batches(values={300: "cat"})
    assert codes(batch) == [[[-1, 0]]]


def test_missing_partners_are_counted_and_named() -> None:
    for name in "abcde":
        write(f"true/{name}.png", [[1]])
    write("seen/a.png", [[1]])
    expect_refusal("expected a prediction for each of 5", labels=["cat"])


def test_a_missing_ground_truth_is_named() -> None:
    write("true/a.png", [[1]])
    write("seen/a.png", [[1]])
    write("seen/b.png", [[1]])
    expect_refusal("expected a ground truth for each of 2", labels=["cat"])


def test_a_missing_partner_can_be_all_background() -> None:
    write("true/a.png", [[1]])
    write("seen/b.png", [[1]])
    (batch,) = batches(labels=["cat"], missing="background")
    assert codes(batch) == [[[0]], None]
    assert codes(batch, "predictions") == [None, [[0]]]


def test_sizes_that_differ_name_both_files() -> None:
    write("true/a.png", [[1, 1], [1, 1]])
    write("seen/a.png", [[1, 1]])
    expect_refusal("expected 2 by 2 pixels (rows by columns)", labels=["cat"])


def test_colors_without_a_palette_are_rejected() -> None:
    write("true/a.png", [[RED]])
    write("seen/a.png", [[RED]])
    expect_refusal("expected gray levels or indices", labels=["cat"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected a whole PNG image, found an empty"),
        (b"text", "expected a PNG image, found another format"),
        (b"\x89PNG\r\n\x1a\n" + bytes(9), "expected a whole PNG image, found its"),
    ],
)
def test_what_is_no_image_is_named(content: bytes, message: str) -> None:
    write("seen/a.png", [[1]])
    Path("true").mkdir()
    Path("true/a.png").write_bytes(content)
    expect_refusal(message, labels=["cat"])


def test_an_image_that_is_cut_off_is_named() -> None:
    noise = np.random.default_rng(0).integers(0, 2, (64, 64))
    write("true/a.png", noise)
    write("seen/a.png", noise)
    Path("true/a.png").write_bytes(Path("true/a.png").read_bytes()[:200])
    expect_refusal("expected a whole PNG image, found its", labels=["cat"])


def test_a_folder_that_is_not_there_is_named() -> None:
    expect_refusal("expected a folder or a file, found nothing", labels=["cat"])


def test_a_folder_without_images_is_named() -> None:
    Path("true").mkdir()
    expect_refusal("expected files that end in .png, found none", labels=["cat"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"labels": ["cat"], "palette": {"#ff0000": "cat"}}, "found labels and palette"),
        ({"labels": ["cat"], "values": {1: "cat"}}, "expected one of labels"),
        ({"values": {"one": "cat"}}, "expected whole numbers with their labels"),
        ({"labels": ["cat"], "ignore": [1]}, "expected values that are no label, found 1"),
        ({"labels": ["cat"], "ignore": ["#ffffff"]}, "expected whole numbers, found '#ffffff'"),
        ({"labels": [""]}, "expected names of labels, found ''"),
        ({"palette": {"red": "road"}}, "expected a color such as '#ff0000'"),
        ({"palette": {"[256, 0, 0]": "road"}}, "expected a color such as '#ff0000'"),
        (
            {"palette": {"#ff0000": "road", "(255, 0, 0)": "sky"}},
            "expected each color once, found #ff0000",
        ),
        (
            {"palette": {"#ff0000": "road"}, "ignore": ["#ff0000"]},
            "expected colors that are no label",
        ),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters: Any, message: str) -> None:
    expect_refusal(message, **parameters)


def test_pillow_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    write("true/a.png", [[1]], np.uint16)
    write("seen/a.png", [[1]])
    monkeypatch.setitem(__import__("sys").modules, "PIL.Image", None)
    with pytest.raises(
        MissingExtraError,
        match=r"segmentation: reading true/a\.png needs Pillow, which is not installed",
    ) as caught:
        batches(labels=["cat"])
    lines = str(caught.value).splitlines()
    assert "\n".join(lines[1:]) == f"Install it with: {ways('valor-segmentation[images]')}"


def chunk(name: bytes, content: bytes) -> bytes:
    body = name + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))


def png(width: int, height: int, depth: int, kind: int, pixels: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(pixels)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_header_with_more_pixels_than_the_file_can_hold_is_rejected() -> None:
    write("seen/a.png", [[1]])
    Path("true").mkdir()
    Path("true/a.png").write_bytes(png(60_000, 60_000, 8, 0, b"\0"))
    expect_refusal("expected a whole PNG image, found 66", labels=["cat"])


def test_plain_images_that_compress_well_are_read() -> None:
    write("true/a.png", np.ones((3000, 3000)))
    write("seen/a.png", np.ones((3000, 3000)))
    (batch,) = batches(labels=["cat"])
    assert batch.layers[0].groundtruths[0].pixels.shape == (3000, 3000)


def test_colors_of_16_bits_are_rejected() -> None:
    write("seen/a.png", [[RED]])
    Path("true").mkdir()
    Path("true/a.png").write_bytes(png(1, 1, 16, 2, b"\0" + bytes(6)))
    expect_refusal("expected colors of 8 bits, found 16 bits", palette={"#ff0000": "cat"})


def test_alpha_is_passed_over() -> None:
    write("true/a.png", [[(*RED, 0), (*RED, 255)]])
    write("seen/a.png", [[RED, RED]])
    (batch,) = batches(palette={"#ff0000": "cat"})
    assert codes(batch) == [[[0, 0]]]


@pytest.mark.parametrize("name", ["background", "Void", "unlabeled"])
def test_labels_that_begin_with_background_do_not_shift_every_name(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(
        ReadError, match=r"data\.labels: expected the label of the value 1 first, since 0 is"
    ):
        PngReader(
            PngParameters(
                groundtruths=tmp_path, predictions=tmp_path, labels=(name, "sky", "water")
            ),
            "segmentation",
        )


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ("", "_pred", "found none for 12: 'img_0', 'img_1'"),
        ("_gt", "", "found none for 12: 'img_0_gt'"),
        (
            "_gtFine",
            "_pred",
            "found none for 12: 'img_0_gtFine'",
        ),
    ],
)
def test_predictions_of_other_endings_are_not_taken_for_missing(
    true: str, predicted: str, message: str
) -> None:
    for number in range(12):
        write(f"true/img_{number}{true}.png", [[1]])
        write(f"seen/img_{number}{predicted}.png", [[1]])
    expect_refusal(message, labels=["cat"])

    endings = {"groundtruth_ending": f"{true}.png", "prediction_ending": f"{predicted}.png"}
    assert sum(map(len, batches(labels=["cat"], **endings))) == 12


def test_folders_of_other_images_are_not_counted_as_background() -> None:
    write("true/a.png", [[1]])
    write("true/b.png", [[1]])
    write("seen/pred_a.png", [[1]])
    expect_refusal("expected a prediction for each of 2", labels=["cat"])
