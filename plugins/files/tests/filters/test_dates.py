from __future__ import annotations

import re
import zoneinfo
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from valor_files.filters import Filter

from valor_core.errors import ExpressionError

UIDS = np.array(list("abcde"))
OSLO = timezone(timedelta(hours=1))


def objects(*values: Any) -> np.ndarray[Any, Any]:
    return np.fromiter(values, dtype=object, count=len(values))


COLUMNS = {
    "day": objects(date(2024, 1, 30), date(2024, 1, 31), None, date(2024, 2, 1), date(2023, 5, 5)),
    "taken": objects(
        datetime(2024, 1, 30, 23, 59, 59, 999999),
        datetime(2024, 1, 31),
        datetime(2024, 1, 31, 12),
        None,
        date(2024, 2, 1),
    ),
    "zoned": objects(
        datetime(2024, 1, 31, 0, 30, tzinfo=OSLO),  # 23:30 of the day before in UTC
        datetime(2024, 1, 31, 0, 30, tzinfo=UTC),
        None,
        datetime(2024, 1, 30, 23, 30, tzinfo=UTC),
        datetime(2024, 2, 1, 12, tzinfo=OSLO),
    ),
    "days": np.array(["2024-01-30", "2024-01-31", "NaT", "2024-02-01", "2023-05-05"], "M8[D]"),
    "fine": np.array(["2024-01-30", "2024-01-31", "NaT", "2024-02-01", "2023-05-05"], "M8[ns]"),
    "mixed": objects(date(2024, 1, 30), "2024-01-31", None, None, None),
    "partly": objects(datetime(2024, 1, 30, tzinfo=UTC), date(2024, 1, 30), None, None, None),
}


def kept(text: str) -> str:
    return "".join(UIDS[Filter.parse(text).mask(COLUMNS, UIDS, len(UIDS))])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('day >= "2024-01-31"', "bd"),
        ('day == "2024-01-31"', "b"),
        ('day != "2024-01-31"', "ade"),
        ('"2024-01-31" > day', "ae"),
        ('day > "2024-01-31T00:00:00.000001"', "d"),
        ('day == "20240131"', "b"),
        ('day in ["2024-01-31", "2024-02-01"]', "bd"),
        ('day not in ["2024-01-31", "2024-02-01"]', "ae"),
        ('not day >= "2024-01-31"', "ace"),
        ("day is missing", "c"),
        ('taken < "2024-01-31"', "a"),
        ('taken == "2024-01-31"', "b"),
        ('taken <= "2024-01-31"', "ab"),
        ('taken >= "2024-01-31T12:00"', "ce"),
        ('taken >= "2024-01-31 12:00:00"', "ce"),
        ('days >= "2024-01-31"', "bd"),
        ('fine >= "2024-01-31"', "bd"),
        ('fine in ["2024-01-31"]', "b"),
        ("fine is missing", "c"),
        ("days is not missing", "abde"),
    ],
)
def test_dates_are_compared_with_text_in_iso_8601(text: str, expected: str) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('zoned >= "2024-01-31"', "abe"),
        ('zoned == "2024-01-31T00:30"', "ab"),
        ('zoned < "2024-01-31T00:00Z"', "ad"),
        ('zoned == "2024-01-31T00:30+01:00"', "ad"),
        ('zoned == "2024-01-30T23:30Z"', "ad"),
        ('zoned in ["2024-01-30T23:30Z", "2024-02-01T12:00+01:00"]', "ade"),
    ],
)
def test_dates_with_offset_are_compared_in_utc(text: str, expected: str) -> None:
    assert kept(text) == expected


def test_repeated_hour_of_daylight_saving_is_two_times() -> None:
    zone = zoneinfo.ZoneInfo("Europe/Oslo")
    twice = [datetime(2024, 10, 27, 2, 30, fold=fold, tzinfo=zone) for fold in (0, 1)]

    def mask(text: str) -> list[bool]:
        return Filter.parse(text).mask({"at": objects(*twice)}, UIDS[:2], 2).tolist()

    assert mask('at == "2024-10-27T02:30"') == [True, True]
    assert mask('at == "2024-10-27T01:30Z"') == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('day >= "spring"', "found the text 'spring'"),
        ('day in ["2024-01-31", "2024"]', "found the text '2024'"),
        ("day > 2023", "cannot be compared with the number 2023"),
        ("day", "field 'day' holds dates and cannot be used"),
        ('taken >= "2024-01-31T12:00Z"', "field 'taken' holds dates without a time"),
        ('partly >= "2024-01-31T12:00Z"', "found 2024-01-30 in datum 'b'"),
        ('zoned in ["2024-01-31", "2024-01-31T12:00Z"]', "expected dates that all have an offset"),
        ('mixed == "2024-01-30"', "field 'mixed' holds dates and cannot"),
    ],
)
def test_invalid_date_is_rejected(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(message)):
        kept(text)


def test_column_without_dates_matches_nothing() -> None:
    missing = {"day": objects(None, None)}

    assert Filter.parse('day < "2024-01-31"').mask(missing, UIDS[:2], 2).tolist() == [False, False]
