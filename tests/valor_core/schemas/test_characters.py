from __future__ import annotations

import numpy as np
from messages import refused

from valor_core.plugin import SchemaError
from valor_core.schemas import Datum, Datums, Label
from valor_core.schemas.characters import check_unicode_column
from valor_core.schemas.text import Text, TextBatch


def test_a_column_of_any_characters_passes() -> None:
    for column in (["é", "\U0001f600", "\ue000"], ["", ""], [], [1, 2]):
        check_unicode_column(np.array(column), "uids")


def test_a_lone_surrogate_is_found_where_it_stands() -> None:
    column = np.array(["a", "long enough", "b\udfff"])

    with refused(SchemaError):
        check_unicode_column(column[::-1], "uids")


def test_no_uid_label_or_text_may_hold_one() -> None:
    with refused(SchemaError):
        Datums(["a", "\ud800"])
    with refused(SchemaError):
        Datum("\ud800")
    with refused(SchemaError):
        Label("class", "\ud800")
    with refused(SchemaError):
        TextBatch.of([Text("a", response="so \ud83d")])
    with refused(SchemaError):
        TextBatch.of([Text("a", references=["so", "\ud83d"])])
