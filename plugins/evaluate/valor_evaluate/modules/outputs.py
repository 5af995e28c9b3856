"""Outputs of modules as results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from valor_core.errors import ReportError, shown
from valor_core.results import Failed, Result, Undefined, as_json, is_number

OUTPUT = "output"
"""Parameter of a result that names one of several outputs."""


def results(
    output: Any, parameters: Mapping[str, Any], left_out: Mapping[str, int]
) -> list[Result]:
    """Return a result for each output of a module.

    A table gives a result for each key; keys of nested tables follow after a dot. Numbers that are
    not finite are undefined, or null in lists.

    Parameters
    ----------
    output : object
        Output: a number, string, array, list, or a table of these.
    parameters : mapping
        Parameters of every result.
    left_out : mapping of str to int
        Number of excluded items by missing field.

    Examples
    --------
    >>> found = results({"PER": {"f1": 0.5}, "accuracy": float("nan")}, {}, {})
    >>> [(one.parameters["output"], one.value) for one in found]
    [('PER.f1', 0.5), ('accuracy', Undefined(reason='the module computes nan'))]
    """
    found = []
    for path, value in _flat(output):
        named = dict(parameters) | ({OUTPUT: path} if path else {})
        found.append(Result(parameters=named, value=_value(value), left_out=left_out))
    return found


def is_table(result: Result) -> bool:
    """Return True if the value of a result is a list or table."""
    return isinstance(result.value, (list, dict))


def _flat(output: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(output, Mapping) and output:
        for key, value in output.items():
            yield from _flat(value, f"{above}.{key}" if above else str(key))
    elif _holds_tables(output):
        for index, value in enumerate(output):
            yield from _flat(value, f"{above}.{index}" if above else str(index))
    else:
        yield above, output


def _holds_tables(output: Any) -> bool:
    return isinstance(output, (list, tuple)) and any(isinstance(part, Mapping) for part in output)


def _value(value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if value is None:
        return Undefined("the module computes none")
    if isinstance(value, float) and not math.isfinite(value):
        return Undefined(f"the module computes {value}")
    if isinstance(value, bool) or is_number(value):
        return value
    try:
        return as_json(_with_nulls(value), "value")
    except ReportError:
        return Failed(f"expected numbers, texts, lists or tables of a module, found {shown(value)}")


def _with_nulls(value: Any) -> Any:
    """Replace numbers that are not finite by None."""
    if hasattr(value, "tolist"):  # an array of NumPy, PyTorch or pandas
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _with_nulls(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_nulls(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
