"""Results as flat records, the rows of a data frame or a CSV file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from valor_core.metrics.result import Result
from valor_core.report.keys import pairs

Record = dict[str, Any]


def records(found: Iterable[Result]) -> list[Record]:
    """One flat record per result: type, metric, slice, parameters, value and reason.

    Where nothing is sliced, there is no ``slice``; where something is, it is empty for the whole.

    Examples
    --------
    >>> f1 = Result(type="F1", value=0.5)
    >>> [row["slice"] for row in records([f1, f1.in_slice({"ink": 1})])]
    ['', 'ink:1']
    """
    found = list(found)
    is_sliced = any(one.slice for one in found)
    names = dict.fromkeys(name for one in found for name in one.parameters)
    return [
        {"type": one.type, "metric": one.metric}
        | ({"slice": "/".join(pairs(one.slice))} if is_sliced else {})
        | {name: one.parameters.get(name) for name in names}
        | {
            "value": one.to_dict()["value"],
            "undefined": one.undefined,
            "error": one.error,
        }
        for one in found
    ]
