from __future__ import annotations

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas import Datum, Datums, Label
from valor_core.schemas.columns import check_name_column
from valor_core.schemas.text.batch import Text, TextBatch


def test_column_of_valid_characters_is_accepted() -> None:
    for column in (["é", "\U0001f600", "\ue000"], ["", ""], [], [1, 2]):
        check_name_column(np.array(column), "uids")


def test_lone_surrogate_is_rejected_with_position() -> None:
    column = np.array(["a", "long enough", "b\udfff"])

    with pytest.raises(
        SchemaError, match=r"uids\[0\]: expected Unicode text, got 'b\\udfff', a lone surrogate"
    ):
        check_name_column(column[::-1], "uids")


def test_uids_labels_and_texts_reject_lone_surrogates() -> None:
    with pytest.raises(
        SchemaError, match=r"uids\[1\]: expected Unicode text, got '\\ud800', a lone surrogate"
    ):
        Datums(["a", "\ud800"])
    with pytest.raises(
        SchemaError, match=r"Datum: uid: expected Unicode text, got '\\ud800', a lone surrogate"
    ):
        Datum("\ud800")
    with pytest.raises(
        SchemaError, match=r"Label: value: expected Unicode text, got '\\ud800', a lone surrogate"
    ):
        Label("class", "\ud800")
    with pytest.raises(
        SchemaError, match=r"expected Unicode text, got 'so \\ud83d', a lone surrogate"
    ):
        TextBatch.of([Text("a", response="so \ud83d")])
    with pytest.raises(
        SchemaError, match=r"expected Unicode text, got '\\ud83d', a lone surrogate"
    ):
        TextBatch.of([Text("a", references=["so", "\ud83d"])])


def test_nul_in_name_is_rejected_with_position() -> None:
    column = np.array(["a", "b\0c", "long enough", "d\0\0e"])

    with pytest.raises(
        SchemaError, match=r"uids\[1\]: expected a name without the character NUL, got 'b\\x00c'"
    ):
        check_name_column(column, "uids")
    with pytest.raises(
        SchemaError,
        match=r"uids\[0\]: expected a name without the character NUL, got 'd\\x00\\x00e'",
    ):
        check_name_column(column[::-1], "uids")


def test_text_may_contain_nul() -> None:
    (item,) = TextBatch.of([Text("a", response="b\0", references=["\0"])]).items()

    assert (item.response, item.references) == ("b\0", ("\0",))
