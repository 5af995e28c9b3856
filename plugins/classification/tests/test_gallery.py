from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from valor_classification.gallery.gallery import RIGHT, WRONG, ClassificationGallery
from valor_classification.parameters.gallery import GalleryParameters
from valor_report import MarkedTexts, Picture

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.schemas import Label
from valor_core.schemas.classification import (
    Classification,
    ClassificationBatch,
    ScoreMatrix,
)
from valor_core.schemas.datum import Datum, Datums

SURE = Classification("sure", "dog", {"dog": 0.125, "cat": 0.875}, {"text": "It purrs.", "n": 3})
CLOSE = Classification("close", "dog", {"dog": 0.375, "cat": 0.5})
RIGHT_ONE = Classification("right", "dog", {"dog": 0.75, "cat": 0.25})
NOTHING = Classification("nothing", "dog", {})
UNKNOWN = Classification("unknown", (), {"cat": 0.75})


def gallery(**parameters: Any) -> ClassificationGallery:
    return ClassificationGallery(GalleryParameters(**parameters))


def errors(*items: Classification) -> list[float]:
    return gallery().errors(ClassificationBatch.of(items)).tolist()


def drawn(item: Classification, **parameters: Any) -> Picture | MarkedTexts:
    return gallery(**parameters).draw(ClassificationBatch.of([item]))


def test_surest_errors_are_worst_and_right_items_have_none() -> None:
    assert errors(SURE, CLOSE, RIGHT_ONE, NOTHING, UNKNOWN) == [1.75, 1.125, 0, 1, 0]


def test_errors_of_matrix_equal_errors_of_list() -> None:
    values = np.array([[0.875, 0.125], [0.5, 0.375], [0.25, 0.75]])
    labels = [Label("class", name) for name in ("cat", "dog")]
    datums = Datums.of(Datum(uid) for uid in ("sure", "close", "right"))
    batch = ClassificationBatch(
        datums, labels, [0, 1, 2], [1, 1, 1], ScoreMatrix(values, np.array([0, 1]))
    )

    assert gallery().errors(batch).tolist() == errors(SURE, CLOSE, RIGHT_ONE)


def test_item_with_several_labels_counts_missed_and_false_labels() -> None:
    item = Classification("a", ["cat", "dog"], {"cat": 0.75, "cow": 0.625, "dog": 0.25})

    shown = drawn(item)

    assert errors(item) == [2]
    assert shown.counts == {"wrong labels": 2}
    assert shown.notes == ["predicted cat (0.7500), cow (0.6250), true cat (0.7500), dog (0.2500)"]


def test_text_metadata_and_scores_are_shown() -> None:
    shown = drawn(SURE)

    assert isinstance(shown, MarkedTexts)
    assert [piece.text for piece in shown.texts["text"]] == ["It purrs."]
    assert [(row["label"].text, row["label"].meaning) for row in shown.tables["scores"]] == [
        ("cat", WRONG),
        ("dog", RIGHT),
    ]
    assert shown.tables["metadata"][0]["n"].text == "3"
    assert shown.notes == ["predicted cat (0.8750), true dog (0.1250)"]


def test_keys_of_labels_are_named_if_there_are_several() -> None:
    true = [("color", "red"), ("size", "big")]
    item = Classification("a", true, {("color", "blue"): 0.75, ("size", "big"): 0.5})

    assert drawn(item).notes == [
        "color: predicted blue (0.7500), true red",
        "size: predicted big (0.5000), true big (0.5000)",
    ]


@pytest.mark.parametrize(
    ("uid", "metadata", "parameters"),
    [
        ("a", {"file_name": "b/c.png"}, {}),
        ("a", {"where": "b/c.png"}, {"image_field": "where"}),
        ("b/c.png", {}, {}),
        ("b/c", {}, {}),
    ],
    ids=["usual field", "given field", "uid", "uid without suffix"],
)
def test_image_is_found_by_field_or_uid(
    uid: str, metadata: dict[str, str], parameters: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "b").mkdir()
    Image.new("RGB", (8, 4), "red").save(tmp_path / "b" / "c.png")
    item = Classification(uid, "dog", {"cat": 0.75}, metadata)

    shown = drawn(item, images=tmp_path, **parameters)

    assert isinstance(shown, Picture)
    assert shown.image.startswith(b"\x89PNG")
    assert shown.notes == ["predicted cat (0.7500), true dog"]


def test_missing_image_and_name_outside_of_folder_are_notes(tmp_path: Path) -> None:
    for name, reason in {
        "x.png": f"no image: no such file: {tmp_path.name}/x.png",
        "../x.png": f"no image: ../x.png leads out of the folder {tmp_path.name}",
    }.items():
        shown = drawn(Classification("a", "dog", {"cat": 0.75}, {"image": name}), images=tmp_path)
        assert shown.notes[1:] == [reason]


def test_note_says_how_to_show_images() -> None:
    item = Classification("a.JPG", "dog", {"cat": 0.75})

    assert drawn(item).notes[1:] == ["no image: gallery.images is not set"]


def test_missing_folder_of_images_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"classification\.Gallery: expected a folder of images"):
        gallery(images=tmp_path / "nowhere")


def test_gallery_of_table_lists_errors(tmp_path: Path) -> None:
    table = {
        "y_true": ["cat", "dog", "dog"],
        "y_pred": ["cat", "cat", "dog"],
        "text": ["meow", "woof & <b>", "bark"],
        "uid": ["a", "b", "c"],
    }

    evaluate(table, ["Accuracy"], gallery=tmp_path / "worst")

    page = (tmp_path / "worst" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<b>(.*?)</b>", page) == ["b"]
    assert "woof &amp; &lt;b&gt;" in page
    assert "predicted cat (1.0000), true dog" in page


def test_texts_are_shown_without_pillow() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from valor_classification.parameters.gallery import GalleryParameters\n"
        "from valor_classification.gallery.gallery import ClassificationGallery\n"
        "from valor_core.schemas.classification import Classification, ClassificationBatch\n"
        "item = Classification('a', 'dog', {'cat': 1.0}, {'text': 'It barks.'})\n"
        "shown = ClassificationGallery(GalleryParameters()).draw(ClassificationBatch.of([item]))\n"
        "print(shown.texts['text'][0].text)\n"
    )

    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )

    assert run.stdout == "It barks.\n"
