"""Recorded results of earlier Valor implementations for small data sets, in built-in types.

The fixtures lie in ``golden/``: ``data.json`` holds the named data sets, one file per call of the
earlier implementations holds the cases, and ``divergences.json`` lists deliberate differences of
Valor, with reasons. Numbers are as recorded, to the last digit. Each combination of input,
parameters and results is stored once.

A shape is ``[xmin, ymin, xmax, ymax]``, ``{"box": ring}`` for a rotated box, ``{"polygon":
rings}``, or ``{"mask": [[height, width], spans]}``, where spans are half-open runs of pixels, row
by row.

A case's results are one flat mapping from a path to a value, for either call:

=================================================== ==============================================
path                                                value
=================================================== ==============================================
``ap/<key>/<label>/<iou>``, ``map/<key>/<iou>``
``ap_ious/<key>/<label>``, ``map_ious/<key>``       over the IoU thresholds of the case
``ar/<key>/<label>``, ``mar/<key>``                 with ``/<score>`` at the end in ``lite``
``ar_scores/<key>/<label>``, ``mar_scores/<key>``   (``lite``)
``pr_curve/<key>/<label>/<score>/<column>``         tp, fp, fn, precision, recall, f1 (``core``)
``curve/<key>/<label>/<iou>``                       101 (precision, score) pairs (``lite``)
``counts/<key>/<label>/<iou>/<score>``              (tp, fp, fn) (``lite``)
``precision/…``, ``recall/…``, ``f1/…``             as ``counts`` (``lite``)
``raises``                                          True, as the only path
=================================================== ==============================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

FOLDER = Path(__file__).parent / "golden"
APIS = ("core", "lite")
MISSING = "missing"
COLUMNS = ("tp", "fp", "fn", "precision", "recall", "f1")
CURVE_THRESHOLDS = tuple(k / 20 for k in range(1, 20))

Pairs = Iterator[tuple[str, Any]]


@frozen(kw_only=True)
class GoldenCase:
    """One recorded call with its arguments and results.

    Attributes
    ----------
    id : str
        Name that divergences refer to, such as ``core_det_01``.
    api : str
        One of `APIS`: the library of 2024, or the light evaluator.
    images : list
        The data set: ``uid``, ``truths`` and ``predictions`` of each image. Sides are lists of
        labels and shape; a side that was not passed is missing.
    parameters : mapping
        Parameters of the call.
    results : mapping of str to object
        Values by path, see the module.
    kind : str, optional
        ``convention``, ``bug``, or None for a case from a test suite.
    note : str
        Purpose of the case.
    """

    id: str
    api: str
    images: list[dict[str, Any]]
    parameters: Mapping[str, Any]
    results: Mapping[str, Any]
    kind: str | None
    note: str


@frozen(kw_only=True)
class Divergence:
    """Results of one case that differ in Valor for one reason.

    Attributes
    ----------
    case : str
    reason : str
        Key into the table of reasons.
    ours : mapping of str to object
        Correct values by path; None for undefined values, `MISSING` for missing ones.
    note : str
        Calculation by hand.
    """

    case: str
    reason: str
    ours: Mapping[str, Any]
    note: str


@cache
def golden_cases(api: str | None = None) -> tuple[GoldenCase, ...]:
    """Load the cases of one API, or of both."""
    if api is None:
        return tuple(case for each in APIS for case in golden_cases(each))
    data = _read("data")
    return tuple(
        GoldenCase(
            id=entry["id"],
            api=api,
            images=data[entry["data"]],
            parameters=entry["parameters"],
            results=dict(_results(entry["expected"])),
            kind=entry["kind"],
            note=entry["note"],
        )
        for entry in _read(api)["cases"]
    )


@cache
def reasons() -> Mapping[str, str]:
    """Load the reasons for divergences, one sentence each."""
    return dict(_read("divergences")["reasons"])


@cache
def divergences() -> tuple[Divergence, ...]:
    """Load the deliberate differences of Valor."""
    return tuple(
        Divergence(
            case=entry["case"],
            reason=entry["reason"],
            ours=dict(_results(entry["ours"])),
            note=entry["note"],
        )
        for entry in _read("divergences")["divergences"]
    )


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def _frozen(value: Any) -> Any:
    """Turn lists into tuples, at any depth."""
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _results(expected: Mapping[str, Any]) -> Pairs:
    if "raises" in expected:
        yield "raises", True
        return
    for name, values in expected.items():
        for place, value in values.items():
            if value == MISSING:
                yield f"{name}/{place}", value
            elif name == "pr_curve":
                yield from _steps(f"{name}/{place}", value)
            elif name == "curve":
                repeated = [(height, at) for count, height, at in value for _ in range(count)]
                yield f"{name}/{place}", tuple(repeated)
            else:
                yield f"{name}/{place}", _frozen(value)


def _steps(path: str, steps: list[Any]) -> Pairs:
    """Yield each step of a curve at every threshold up to the next step."""
    starts = [start for start, _ in steps]
    for threshold in CURVE_THRESHOLDS:
        _, values = steps[sum(start <= threshold for start in starts) - 1]
        for column, value in zip(COLUMNS, values, strict=True):
            yield f"{path}/{threshold!r}/{column}", value
