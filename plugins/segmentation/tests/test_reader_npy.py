"""Arrays in NumPy's files become batches, and what does not fit is named."""

from __future__ import annotations

import pickle
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_segmentation.parameters.readers import NpyParameters
from valor_segmentation.readers.npy import NpyReader

from valor_core.errors import ReadError
from valor_core.schemas.segmentation import SegmentationBatch


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("true").mkdir()
    Path("seen").mkdir()


def batches(**parameters: Any) -> list[SegmentationBatch]:
    chosen: dict[str, Any] = {"groundtruths": Path("true"), "predictions": Path("seen")}
    chosen |= {"labels": ["cat", "dog"]}
    reader = NpyReader(NpyParameters(**chosen | parameters), "segmentation")
    return [batch for part in reader.partitions() for batch in reader.read(part)]


def codes(batch: SegmentationBatch, side: str) -> list[Any]:
    (one,) = getattr(batch.layers[0], side)
    image = one.pixels.read(0, one.pixels.shape[0])
    found: list[Any] = one.legend.codes[np.searchsorted(one.legend.values, image)].tolist()
    return found


def message(match: str, **parameters: Any) -> str:
    with pytest.raises(ReadError, match=re.escape(match)) as caught:
        batches(**parameters)
    return str(caught.value)


@pytest.mark.parametrize("dtype", [np.uint8, ">i4", np.int64])
def test_arrays_are_matched_by_name(dtype: Any) -> None:
    np.save("true/a.npy", np.array([[0, 1], [2, 255 if dtype != np.int8 else 2]], dtype))
    np.save("seen/a.npy", np.array([[2, 1], [0, 0]], dtype))
    (batch,) = batches(ignore=[255])
    assert batch.datums.uids.tolist() == ["a"]
    assert codes(batch, "groundtruths") == [[-1, 0], [1, -2]]
    assert codes(batch, "predictions") == [[1, 0], [-1, -1]]


def test_arrays_stay_in_their_files_until_they_are_read() -> None:
    np.save("true/a.npy", np.ones((3000, 1000), np.uint8))
    np.save("seen/a.npy", np.asfortranarray(np.ones((3000, 1000), np.uint16)))
    (batch,) = batches()
    text = pickle.dumps(batch.layers[0])
    assert len(text) < 3000
    for one in (*pickle.loads(text).groundtruths, *pickle.loads(text).predictions):
        assert one.pixels.strip_rows == 1048
        assert one.pixels.read(2999, 3000).sum() == 1000


def test_masks_are_one_label() -> None:
    np.save("true/a.npy", np.array([[True, False]]))
    np.save("seen/a.npy", np.array([[True, True]]))
    (batch,) = batches(labels=["cat"])
    assert codes(batch, "groundtruths") == [[0, -1]]


def test_an_archive_holds_both_sides() -> None:
    np.savez_compressed("true/a.npz", groundtruth=[[1]], prediction=[[2]])
    np.savez("true/b.npz", groundtruth=[[0]], prediction=[[1]], image=[[9.5]])
    first, second = batches(predictions=None)
    assert (codes(first, "groundtruths"), codes(first, "predictions")) == ([[0]], [[1]])
    assert second.datums.uids.tolist() == ["b"]


def test_names_of_the_arrays_can_be_others() -> None:
    np.savez("true/a.npz", y_true=[[1]], y_pred=[[2]])
    names = {"groundtruth_array": "y_true", "prediction_array": "y_pred"}
    (batch,) = batches(predictions=None, **names)
    assert codes(batch, "predictions") == [[1]]


def test_an_archive_of_one_array_needs_no_name() -> None:
    np.savez("true/a.npz", [[1]])
    np.save("seen/a.npy", [[2]])
    (batch,) = batches()
    assert codes(batch, "groundtruths") == [[0]]


def test_an_array_that_is_not_there_is_named() -> None:
    np.savez("true/a.npz", x=[[1]], y=[[1]])
    message("expected an array 'groundtruth', found 'x'", predictions=None)


def test_scores_are_rejected() -> None:
    np.save("true/a.npy", [[1]])
    np.save("seen/a.npy", np.full((2, 1, 3), 0.5, np.float32))
    message("expected rows and columns of whole")


@pytest.mark.parametrize(
    ("file", "finding"),
    [
        ("seen/a.npy", "expected whole numbers up to 2 as in labels"),
        ("seen/a.npz", "arr_0: expected whole numbers up to 2"),
    ],
)
def test_true_and_false_say_nothing_of_two_labels(file: str, finding: str) -> None:
    save: Any = np.save if file.endswith("npy") else np.savez
    save(file, np.array([[True]]))
    where = "seen/a.npz, arr_0" if file.endswith("npz") else "seen/a.npy"
    np.save("true/a.npy", np.array([[1]]))
    assert message(finding) == (
        f"{where}: expected whole numbers up to 2 as in labels, found array of bool, shape "
        "(1, 1)\n"
        "Save the number of each pixel's label, or set data.labels to one label."
    )
    assert codes(batches(labels=["cat"])[0], "predictions") == [[0]]


def test_sizes_that_differ_name_both_files() -> None:
    np.save("true/a.npy", [[1]])
    np.save("seen/a.npy", [[1, 1]])
    message("expected 1 by 1 pixels (rows by columns)")


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_what_is_no_array_is_named(content: bytes) -> None:
    Path("true/a.npy").write_bytes(content)
    np.save("seen/a.npy", [[1]])
    message("expected an array as NumPy saves it")


def test_objects_are_not_unpickled() -> None:
    np.save("true/a.npy", np.array([[{}]], object), allow_pickle=True)
    np.save("seen/a.npy", [[1]])
    message("expected an array as NumPy saves it")


def test_two_files_of_one_name_are_named() -> None:
    np.save("true/a.npy", [[1]])
    np.savez("true/a.npz", [[1]])
    message("expected one file for each image")


HEAD = b"\x93NUMPY\x01\x00"


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (True, 2)}",
        "(((",
        "{'descr': 'zz', 'fortran_order': False, 'shape': (2, 2)}",
    ],
)
def test_a_broken_head_names_the_file(text: str) -> None:
    padded = text.encode().ljust(117) + b"\n"
    Path("true/a.npy").write_bytes(HEAD + struct.pack("<H", len(padded)) + padded + bytes(16))
    np.save("seen/a.npy", np.zeros((2, 2), np.uint8))
    message("expected an array as NumPy saves it")


def test_an_archive_of_something_else_names_the_file() -> None:
    with zipfile.ZipFile("true/a.npz", "w") as archive:
        archive.writestr("groundtruth", "hello")
    np.save("seen/a.npy", np.zeros((2, 2), np.uint8))
    message("expected an array as NumPy saves it")


@pytest.mark.parametrize(
    ("values", "finding"),
    [
        ({"1": "cat", "01": "dog"}, "expected each value once, found 1 twice"),
        ({str(2**70): "cat"}, "expected numbers of 64 bits"),
    ],
)
def test_values_are_compared_as_integers(values: dict[str, str], finding: str) -> None:
    message(finding, labels=[], values=values)


def test_arrays_of_other_names_are_not_taken_for_missing() -> None:
    for name in "ab":
        np.save(f"true/{name}.npy", [[1]])
        np.save(f"seen/{name}_pred.npy", [[1]])
    message("expected a prediction for each of 2")
