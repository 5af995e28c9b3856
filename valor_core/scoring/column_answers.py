"""Validate the columns that a batched metric returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.results.detail_columns import DetailColumns, Details
from valor_core.results.item_rows import SINGLE, ItemRows, Numbers
from valor_core.results.json_values import as_json
from valor_core.results.result import Failed, NoScore, NotRun, Undefined
from valor_core.schemas.datum import Uids, compact


def as_rows(answers: Any, uids: Uids, metric: str) -> ItemRows | None:
    """Return rows from columns, or None if a metric returned one score per item.

    Parameters
    ----------
    answers : object
        An array or `Numbers`, several by name, or `ItemRows`.
    uids : ndarray
        Uids of the items.
    metric : str
        Name of the metric, for messages.

    Raises
    ------
    SchemaError
        If the columns are invalid.
    ReportError
        If details are not JSON values.

    Examples
    --------
    >>> as_rows({"a": np.array([0.5, 1])}, np.array(["q1", "q2"]), "mylab.Both")[1].value
    {'a': 1.0}
    """
    details: Details = {}
    if isinstance(answers, ItemRows):
        _check_uids(answers, uids, metric)
        answers, details = answers.numbers, _checked_details(answers.details, len(uids))
    elif isinstance(answers, np.ndarray) and not _are_numbers(answers, len(uids)):
        return None
    elif isinstance(answers, (Numbers, np.ndarray)):
        answers = {SINGLE: answers}
    elif not isinstance(answers, Mapping):
        return None
    numbers = {
        name: _numbers(column, len(uids), f"{metric}[{name!r}]" if name else metric)
        for name, column in answers.items()
    }
    _check_names(numbers, metric)
    return ItemRows(compact(uids), numbers, details)


def finite(rows: ItemRows, metric: str) -> ItemRows:
    """Replace numbers that are not finite with failures.

    Examples
    --------
    >>> rows = as_rows(np.array([0.5, np.nan]), np.array(["q1", "q2"]), "mylab.Odd")
    >>> finite(rows, "mylab.Odd")[1].value.reason
    'expected a finite number from mylab.Odd, got nan'
    """
    if all(np.isfinite(column.values).all() for column in rows.numbers.values()):
        return rows
    numbers = {
        name: Numbers.of(
            _finite_or_failed(column.at(position), metric) for position in range(len(rows))
        )
        for name, column in rows.numbers.items()
    }
    return evolve(rows, numbers=numbers)


def _finite_or_failed(value: float | NoScore, metric: str) -> float | NoScore:
    if not isinstance(value, float) or np.isfinite(value):
        return value
    return Failed(f"expected a finite number from {metric}, got {value}")


def _check_uids(rows: ItemRows, uids: Uids, metric: str) -> None:
    if len(rows) != len(uids):
        raise SchemaError(f"expected {len(uids):,} rows from {metric}, got {len(rows):,}")
    if not np.array_equal(compact(rows.uids), compact(uids)):
        raise SchemaError(f"expected rows from {metric} in the order of the items")


def _check_names(numbers: Mapping[Any, Numbers], metric: str) -> None:
    if not numbers or not all(isinstance(name, str) for name in numbers):
        raise SchemaError(f"expected columns by name from {metric}, got {short_repr([*numbers])}")
    if SINGLE in numbers and len(numbers) > 1 and len(numbers[SINGLE].present):
        raise SchemaError(
            f"expected a name for every number from {metric}, got {SINGLE!r} among others"
        )


def _are_numbers(column: NDArray[Any], count: int) -> bool:
    return column.dtype.kind in "fiub" and column.shape == (count,)


def _numbers(column: Any, count: int, label: str) -> Numbers:
    if isinstance(column, Numbers):
        return _checked(column, count, label)
    if not isinstance(column, np.ndarray) or not _are_numbers(column, count):
        raise SchemaError(
            f"expected {count:,} numbers in an array from {label}, got {short_repr(column)}"
        )
    return Numbers(column.astype(np.float64), np.zeros(count, np.uint8))


def _checked(column: Numbers, count: int, label: str) -> Numbers:
    """Return a validated copy with 0 for missing numbers."""
    values, codes = np.asarray(column.values), np.asarray(column.codes)
    if not _are_numbers(values, count):
        raise SchemaError(
            f"expected {count:,} values in an array from {label}, got {short_repr(values)}"
        )
    if codes.dtype.kind != "u" or codes.shape != (count,):
        raise SchemaError(
            f"expected {count:,} unsigned codes from {label}, got {short_repr(codes)}"
        )
    for reason in column.gaps:
        if not isinstance(reason, (Undefined, Failed, NotRun)):
            raise SchemaError(f"expected reasons from {label}, got {short_repr(reason)}")
    if codes.max(initial=0) > len(column.gaps):
        raise SchemaError(
            f"expected codes up to {len(column.gaps)} from {label}, got {codes.max()}"
        )
    least = np.min_scalar_type(len(column.gaps))
    values = np.where(codes == 0, values, 0.0).astype(np.float64)
    return Numbers(values, codes.astype(least), tuple(column.gaps))


def _checked_details(details: Details, count: int) -> Details:
    if isinstance(details, DetailColumns):
        if len(details) and not 0 <= details.positions[0] <= details.positions[-1] < count:
            raise SchemaError(
                f"details: expected positions below {count:,}, got {details.positions[-1]}"
            )
        return DetailColumns(
            {name: _checked_column(column, name) for name, column in details.columns.items()},
            details.positions.astype(np.int64),
        )
    beyond = [position for position in details if position not in range(count)]
    if beyond:
        raise SchemaError(
            f"details: expected positions below {count:,}, got {short_repr(beyond[0])}"
        )
    return {position: as_json(dict(one), "details") for position, one in details.items()}


def _checked_column(column: NDArray[Any], name: str) -> NDArray[Any]:
    kind = column.dtype.kind
    if kind in "iubU" or (kind == "f" and np.isfinite(column).all()):
        return column.copy()
    values = as_json(column, f"details[{name!r}]")
    return np.fromiter(values, dtype=np.object_, count=len(column))
