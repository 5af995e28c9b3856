from __future__ import annotations

import numpy as np
import pytest

from valor_core.plugin import SchemaError
from valor_core.schemas import Datum, Datums, Label
from valor_core.schemas.characters import check_unicode_column
from valor_core.schemas.text import Text, TextBatch


def test_a_column_of_any_characters_passes() -> None:
    for column in (["é", "\U0001f600", "\ue000"], ["", ""], [], [1, 2]):
        check_unicode_column(np.array(column), "uids")


def test_a_lone_surrogate_is_found_where_it_stands() -> None:
    column = np.array(["a", "long enough", "b\udfff"])

    with pytest.raises(SchemaError) as caught:
        check_unicode_column(column[::-1], "uids")

    assert str(caught.value) == ("uids[0]: expected Unicode text, got 'b\\udfff', a lone surrogate")


def test_no_uid_label_or_text_may_hold_one() -> None:
    with pytest.raises(SchemaError, match=r"^uids\[1\]: expected Unicode text, got '.ud800'"):
        Datums(["a", "\ud800"])
    with pytest.raises(SchemaError, match=r"^Datum: uid: expected Unicode text"):
        Datum("\ud800")
    with pytest.raises(SchemaError, match=r"^Label: value: expected Unicode text"):
        Label("class", "\ud800")
    with pytest.raises(SchemaError, match=r"^item 'a', response: expected Unicode text"):
        TextBatch.of([Text("a", response="so \ud83d")])
    with pytest.raises(SchemaError, match=r"^item 'a', references: expected Unicode text"):
        TextBatch.of([Text("a", references=["so", "\ud83d"])])
