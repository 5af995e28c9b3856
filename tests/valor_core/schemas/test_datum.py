from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from valor_core import Datum
from valor_core.errors import SchemaError
from valor_core.schemas.classification.batch import Classification
from valor_core.schemas.datum import Datums, LazyColumns, check_unique, compact
from valor_core.schemas.detection import Detection
from valor_core.schemas.text.batch import Text, TextBatch


@pytest.mark.parametrize(
    ("uid", "message"),
    [
        (None, "Datum: uid must be a string or a whole number, got None"),
        (0.5, "Datum: uid must be a string or a whole number, got 0.5"),
        (True, "Datum: uid must be a string or a whole number, got True"),
        (("a",), "Datum: uid must be a string or a whole number, got ('a',)"),
    ],
)
def test_uid_must_be_string_or_integer(uid: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Datum(uid)


def test_metadata_must_be_a_mapping() -> None:
    assert Datum("a", None).metadata == {}  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match=r"Datum: metadata must be a mapping, got \['a'\]"):
        Datum("a", ["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("uids", "kind"),
    [
        (["a", "b"], "U"),
        ([1, 2], "i"),
        (np.array([1, 2], np.uint8), "i"),
        (np.array([1, 2], dtype=object), "i"),
        (np.array(["a", "b"], dtype=object), "U"),
        ([], "i"),
        (np.array([], dtype="U3"), "U"),
    ],
)
def test_uids_are_strings_or_integers(uids: Any, kind: str) -> None:
    assert Datums(uids).uids.dtype.kind == kind


@pytest.mark.parametrize(
    ("uids", "message"),
    [
        (["a", 1], "uids[1]: expected all strings or all whole numbers, got 1 among strings"),
        ([1, "a"], "uids[0]: expected all strings or all whole numbers, got 1 among strings"),
        (
            np.array(["a", None], dtype=object),
            "expected all strings or all whole numbers, got None among strings",
        ),
        ([0.5], "expected strings or whole numbers, got array of float64, shape (1,)"),
        ([True, False], "uids: expected strings or whole numbers, got array of bool, shape (2,)"),
        (
            np.array([["a"]]),
            "uids: expected strings or whole numbers, got array of <U1, shape (1, 1)",
        ),
        ([2**63], "uids: expected strings or whole numbers, got array of uint64, shape (1,)"),
        ([2**70, 1], "uids: expected 64-bit whole numbers, got 1180591620717411303424"),
    ],
)
def test_invalid_uids_are_rejected(uids: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Datums(uids)


@pytest.mark.parametrize(
    ("uids", "message"),
    [
        (["a", "b", "a"], "item 'a': expected each uid once, found it 2 times"),
        ([3, 1, 3, 3, 1], "item 1: expected each uid once, found it 2 times (and 1 more)"),
    ],
)
def test_duplicate_uid_is_named(uids: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Datums(uids)


def test_distinct_uids_are_accepted_in_any_order() -> None:
    check_unique(np.array([3, 1, 2]))


def test_metadata_column_of_another_length_is_rejected() -> None:
    with pytest.raises(SchemaError, match="metadata field 'weather': expected 2 rows, got 1"):
        Datums(["a", "b"], {"weather": ["sun"]})


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"w": "ab"}, "metadata field 'w': expected a value for each item, got 'ab'"),
        ({"w": None}, "metadata field 'w': expected a value for each item, got None"),
        ({"w": {"a": 1}}, "metadata field 'w': expected a value for each item, got {'a': 1}"),
        ({"w": np.array(1)}, "expected a value for each item, got array of int64, shape ()"),
        ([{"w": 1}], "metadata: expected a mapping of field names to columns, got [{'w': 1}]"),
    ],
)
def test_invalid_metadata_is_rejected(metadata: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Datums(["a", "b"], metadata)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (Classification, "uid must be a string or a whole number, got 1.5"),
        (Detection, "Detection: uid must be a string or a whole number"),
        (Text, "Text: uid must be a string or a whole number, got 1.5"),
    ],
)
def test_items_validate_uid_and_metadata(made: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        made(1.5)
    with pytest.raises(SchemaError, match="metadata must be a mapping, got 'x'"):
        made("a", metadata="x")


@pytest.mark.parametrize(
    ("positions", "own"), [([], True), ([0], True), ([0, 1], True), ([1], False), ([0, 2], False)]
)
def test_from_zero_detects_uids_equal_to_positions(positions: list[int], own: bool) -> None:
    places = np.array(positions, np.int64)

    assert Datums.numbers(3).select(places).from_zero == own
    assert not Datums([0, 1, 2]).select(places).from_zero


def test_metadata_values_may_be_lists() -> None:
    datums = Datums(["a", "b"], {"tags": [["x", "y"], ["z", "w"]]})

    assert datums.at(1).metadata == {"tags": ["z", "w"]}


def test_columns_are_read_only_and_input_stays_writable() -> None:
    given = np.array([1.0, 2.0])
    datums = Datums(["a", "b"], {"size": given})

    with pytest.raises(ValueError, match="read-only"):
        datums.metadata["size"][0] = 3.0
    with pytest.raises(ValueError, match="read-only"):
        datums.uids[0] = "c"
    given[0] = 3.0


def test_objects_survive_conversion_to_columns() -> None:
    objects = [Datum("a", {"weather": "sun"}), Datum("b", {"city": 1})]

    datums = Datums.of(objects)

    assert datums.at(0) == Datum("a", {"weather": "sun", "city": None})
    assert datums.at(1).metadata == {"weather": None, "city": 1}
    assert datums.name(1) == "item 'b'"
    assert len(datums) == 2


def test_selected_datums_keep_their_metadata() -> None:
    chosen = Datums(["a", "b", "c"], {"n": [1, 2, 3]}).select(np.array([2, 0]))

    assert chosen.uids.tolist() == ["c", "a"]
    assert chosen.metadata["n"].tolist() == [3, 1]


def test_empty_string_uids_stay_strings() -> None:
    assert Datums(["a"]).select(np.array([], np.int64)).uids.dtype.kind == "U"


def test_datums_without_uids_are_numbered_from_start() -> None:
    datums = Datums.numbers(2, {"n": [1, 2]}).renumber(5)

    assert datums.numbered
    assert datums.uids.tolist() == [5, 6]
    assert datums.metadata["n"].tolist() == [1, 2]


def test_datums_are_compared_by_their_uids() -> None:
    assert Datums(["a"]) == Datums(["a"])
    assert Datums(["a"]) != Datums(["b"])


def test_ascii_uids_are_compacted_to_bytes() -> None:
    uids = np.array(["img_1", "img_10"])

    assert compact(uids).nbytes == uids.nbytes // 4
    assert compact(uids).astype(np.str_).tolist() == ["img_1", "img_10"]


@pytest.mark.parametrize("uids", [np.array(["über"]), np.array([1, 2]), np.array([], np.str_)])
def test_other_uids_are_not_compacted(uids: np.ndarray) -> None:
    assert compact(uids) is uids


def test_duplicate_compact_uid_is_named_as_text() -> None:
    with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
        check_unique(compact(np.array(["b", "a", "a"])))


def test_lazy_columns_are_computed_on_access() -> None:
    made: list[str] = []

    def make(name: str) -> Any:
        made.append(name)
        return np.array([f"{name} {i}" for i in range(3)])

    columns = LazyColumns(("city", "weather"), make)
    assert (list(columns), "city" in columns, "size" in columns, made) == (
        ["city", "weather"],
        True,
        False,
        [],
    )
    part = columns.select(np.array([2]))
    assert part["city"].tolist() == ["city 2"]
    assert columns["city"].tolist() == ["city 0", "city 1", "city 2"]
    assert made == ["city"]
    with pytest.raises(KeyError, match="size"):
        columns["size"]


def test_numpy_uids_become_builtin() -> None:
    assert repr(Datum(np.str_("a")).uid) == "'a'"
    assert repr(Datum(np.int64(3)).uid) == "3"


def test_single_item_suggests_a_list() -> None:
    with pytest.raises(
        SchemaError, match=r"data: expected a list of Text, got Text\(uid='q1', query=None,"
    ):
        TextBatch.of(Text("q1"))  # type: ignore[arg-type]
