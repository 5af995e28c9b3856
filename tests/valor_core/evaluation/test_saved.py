from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refused

from valor_core import Evaluator, Label
from valor_core.errors import StateError, ValorError
from valor_core.evaluation.saved import _decode, _encode, read_header
from valor_core.schemas.text.batch import Text

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture
def state(install: Callable[..., Path], tmp_path: Path) -> Path:
    install("valor-lab", "lab", PLUGINS / "lab")
    evaluator = Evaluator(["lab.LongShare"])
    evaluator.update([Text("q1", response="Paris"), Text("q2", response="no")])
    evaluator.save(tmp_path / "state.npz")
    return tmp_path / "state.npz"


def message_of(match: str, path: Path) -> str:
    with pytest.raises(StateError, match=re.escape(match)) as caught:
        Evaluator(["lab.LongShare"]).resume(path)
    return str(caught.value)


def rewritten(path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """The same archive with another header."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    change(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)
    return path


def test_numpy_scalars_are_saved_as_built_in_types() -> None:
    assert _encode({"n": np.int64(3), "x": np.float64(0.5)}, []) == {"map": [["n", 3], ["x", 0.5]]}


def test_header_describes_request_and_counts(state: Path) -> None:
    header = read_header(state)

    assert header["request"]["metrics"][0]["name"] == "lab.LongShare@2"
    assert header["versions"]["valor-lab"] == "1.0"
    assert (header["read"], header["skipped"], header["done"]) == (2, 0, [])


def test_saved_state_contains_no_pickle(state: Path) -> None:
    with zipfile.ZipFile(state) as archive:
        members = [archive.read(name) for name in archive.namelist()]

    assert all(member.startswith(b"\x93NUMPY") for member in members)
    assert all(b"'descr': '|O'" not in member[:128] for member in members)
    with np.load(state, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "iufbUS" for name in arrays.files)


@pytest.mark.parametrize("kept", [0, 1, 10, 200, -10, -1])
def test_truncated_file_is_rejected(state: Path, kept: int) -> None:
    state.write_bytes(state.read_bytes()[:kept])

    message_of("found another kind of file", state)


def test_file_with_changed_byte_is_rejected(state: Path) -> None:
    content = bytearray(state.read_bytes())
    content[content.index(b"lab.LongShare") + 2] ^= 1
    state.write_bytes(bytes(content))

    message_of("its content is damaged", state)


def test_error_of_damaged_file_is_short(state: Path) -> None:
    content = bytearray(state.read_bytes())
    name_length = content.index(b"array0.npy") - 4  # in the head of the member
    content[name_length + 1] = 1  # so that its name is 256 bytes longer
    state.write_bytes(bytes(content))

    message_of("its content is damaged", state)
    assert len(message_of("its content is damaged", state)) < len(str(state)) + 350


def test_invalid_labels_are_shown_in_error(state: Path) -> None:
    rewritten(state, lambda header: header.update(labels=[{"label": ["class", "cat"]}, "d", "e"]))

    message_of("labels: expected labels, found", state)


def test_encrypted_member_is_rejected(state: Path) -> None:
    content = bytearray(state.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the directory's flags of the header
    state.write_bytes(bytes(content))

    message_of("its content is damaged", state)
    message_of("its content is damaged", state)


@pytest.mark.parametrize("content", [b"garbage", b"\x80\x04K\x01.", b"{}", b"PK\x03\x04 and more"])
def test_garbage_is_rejected_without_unpickling(state: Path, content: bytes) -> None:
    state.write_bytes(content)

    message_of("found another kind of file", state)


def test_table_is_rejected_without_advice_to_unpickle(state: Path) -> None:
    state.write_text("uid,label,score_cat,score_dog\na,dog,0.2,0.8\n")

    message_of("found another kind of file", state)


def test_other_numpy_file_is_rejected(tmp_path: Path, state: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "arrays.npz", a=np.zeros(3))
    np.savez(tmp_path / "objects.npz", header=np.array([{}], dtype=object))

    for name in ("array.npy", "arrays.npz"):
        message_of("found another kind of file", tmp_path / name)
    message_of("its content is damaged, ValueError", tmp_path / "objects.npz")


def test_folder_is_rejected(tmp_path: Path, state: Path) -> None:
    with refused(StateError):
        Evaluator(["lab.LongShare"]).resume(tmp_path)


def test_state_of_another_format_is_rejected(state: Path) -> None:
    rewritten(state, lambda header: header.update(valor_state=99))

    message_of("of format 4, found 99", state)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("facts", "its content is damaged, KeyError: 'facts'"),
        ("uids", "its content is damaged, KeyError: 'uids'"),
        ("read", "expected a whole number, found None"),
        ("slices", "its content is damaged, KeyError: 'slices'"),
        ("done", "its content is damaged, KeyError: 'done'"),
        ("fields", "its content is damaged, KeyError: 'fields'"),
    ],
)
def test_incomplete_header_is_rejected(state: Path, key: str, message: str) -> None:
    rewritten(state, lambda header: header.pop(key))

    message_of(message, state)


def test_header_with_missing_array_is_rejected(state: Path) -> None:
    rewritten(state, lambda header: header["uids"].append({"array": 99}))

    message_of("its content is damaged, KeyError", state)


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
contents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text()
    | st.builds(Label, names, names)
    | st.builds(lambda items: np.array(items, np.int64), st.lists(st.integers(0, 9))),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.text() | st.integers() | st.tuples(st.text(), st.integers()), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(contents)
def test_dumped_content_is_restored(content: Any) -> None:
    arrays: list[Any] = []

    text = json.dumps(_encode(content, arrays))
    back = _decode(json.loads(text), {f"array{i}": array for i, array in enumerate(arrays)})

    np.testing.assert_equal(back, content)


def test_object_array_is_rejected() -> None:
    with pytest.raises(
        StateError, match=r"expected arrays of numbers or text, got array of object, shape \(1,\)"
    ):
        _encode({"rows": np.array([{}], dtype=object)}, [])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("task", "expected a saved state, its request has no task"),
        ("metrics", "expected a saved state, its request has no metrics"),
    ],
)
def test_incomplete_request_is_rejected(state: Path, name: str, message: str) -> None:
    rewritten(state, lambda header: header["request"].pop(name))

    with pytest.raises(StateError, match=re.escape(message)):
        Evaluator.load(state)


def test_damaged_metric_is_reported_with_file(state: Path) -> None:
    rewritten(state, lambda header: header["request"].update(metrics=[{"name": "lab.Nothing"}]))

    with pytest.raises(
        ValorError, match=r"metrics\[0\]: metric 'lab\.Nothing': not declared by the plugin 'lab"
    ):
        Evaluator.load(state)


def test_state_says_of_which_runs_it_is(state: Path, tmp_path: Path) -> None:
    evaluator = Evaluator.load(state)
    evaluator.state.runs.add("small")
    evaluator.save(tmp_path / "small.npz")
    evaluator.state.runs.add("large")
    evaluator.save(tmp_path / "both.npz")

    assert read_header(state)["runs"] == []
    assert Evaluator.load(tmp_path / "small.npz").state.runs == {"small"}
    assert read_header(tmp_path / "both.npz")["runs"] == ["large", "small"]


def test_state_without_names_of_runs_is_loaded(state: Path) -> None:
    rewritten(state, lambda header: header.pop("runs"))

    assert Evaluator.load(state).state.runs == set()


def test_items_of_slices_are_saved_and_unknown_in_states_of_earlier_versions(
    state: Path, tmp_path: Path
) -> None:
    def evaluator() -> Evaluator:
        return Evaluator(["lab.LongShare"], slices=["n"])

    one = evaluator()
    one.update([Text(f"q{i}", response="Paris", metadata={"n": i % 2}) for i in range(3)])
    one.save(tmp_path / "sliced.npz")
    two = evaluator()
    two.resume(tmp_path / "sliced.npz")
    assert [part.items for part in two.compute().slices] == [2, 1]

    two.update([Text("q3", response="Paris", metadata={"n": 1})])
    assert [part.items for part in two.compute().slices] == [2, 2]

    earlier = rewritten(
        tmp_path / "sliced.npz", lambda header: [one.pop("items") for one in header["slices"]]
    )
    three = evaluator()
    three.resume(earlier)
    three.update([Text("q3", response="Paris", metadata={"n": 1})])
    assert [part.items for part in three.compute().slices] == [None, None]
