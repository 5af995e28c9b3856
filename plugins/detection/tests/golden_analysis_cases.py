"""Recorded results of earlier Valor implementations for single objects, in built-in types.

The fixtures lie in ``golden_analysis/``: ``data.json`` holds the data sets; ``lite.json`` the
confusion matrices and examples of the light evaluator and ``core.json`` the detailed curves of
2024; ``divergences.json`` lists deliberate differences of Valor, with reasons.

A shape is ``[xmin, ymin, xmax, ymax]``, ``{"polygon": rings}`` or ``{"mask": [[height, width],
spans]}``, where spans are half-open runs of pixels, row by row. An object is its uid, labels and
shape.

A case's results are one flat mapping from a path to a value:

=================================================== ==============================================
path                                                value
=================================================== ==============================================
``<iou>/<score>/<truth>/<prediction>``              count, or names of image, ground truth and
                                                    prediction; ``-`` is nothing
``<iou>/<score>/<image>``                           true positives, false positives, false
                                                    negatives
``<key>/<label>/<score>/<side>.<kind>``             count, unless it is 0
=================================================== ==============================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

FOLDER = Path(__file__).parent / "golden_analysis"

Pairs = Iterator[tuple[str, Any]]


@frozen(kw_only=True)
class AnalysisCase:
    """One recorded call.

    Attributes
    ----------
    id : str
        Name that divergences refer to.
    call : str
        ``confusion_matrix``, ``confusion_matrix_with_examples``, ``examples`` or ``detailed``.
    images : list
        The data set: ``uid``, ``truths`` and ``predictions`` of each image.
    parameters : mapping
        Parameters of the call.
    results : mapping of str to object
        Values by path, see the module.
    ours : mapping of str to object
        Expected results of Valor: `results` with the listed divergences.
    """

    id: str
    call: str
    images: list[dict[str, Any]]
    parameters: Mapping[str, Any]
    results: Mapping[str, Any]
    ours: Mapping[str, Any]


@cache
def analysis_cases() -> tuple[AnalysisCase, ...]:
    """Load the cases."""
    data, others = read("data"), {one["case"]: one for one in read("divergences")["divergences"]}

    def ours(entry: dict[str, Any]) -> dict[str, Any]:
        return entry["expected"] | others.get(entry["id"], {}).get("ours", {})

    return tuple(
        AnalysisCase(
            id=entry["id"],
            call=entry["call"],
            images=data[entry["data"]],
            parameters=entry["parameters"],
            results=dict(_results(entry["call"], entry["expected"])),
            ours=dict(_results(entry["call"], ours(entry))),
        )
        for name in ("lite", "core")
        for entry in read(name)["cases"]
    )


def read(name: str) -> dict[str, Any]:
    """Load a fixture."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def _results(call: str, expected: Mapping[str, Any]) -> Pairs:
    for place, values in expected.items():
        for name, value in values.items():
            if call != "detailed":
                yield f"{place}/{name}", in_order(value)
            else:
                yield from _steps(place, name, value)


def _steps(place: str, name: str, steps: list[list[int]]) -> Pairs:
    """Yield counts at the nineteen thresholds from runs of equal counts."""
    counts = [count for length, count in steps for _ in range(length)]
    for step, count in enumerate(counts, 1):
        if count:
            yield f"{place}/{step / 20!r}/{name}", count


def in_order(value: Any) -> Any:
    """Sort the lists of a value, whose order in the earlier programs is arbitrary."""
    return sorted(map(in_order, value), key=repr) if isinstance(value, list) else value
