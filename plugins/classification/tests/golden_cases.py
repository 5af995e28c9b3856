"""Results that earlier Valor implementations gave for small data sets, as plain values.

The fixtures lie in ``golden/``: ``data.json`` holds the named data sets, one file per call of the
earlier implementations holds the cases, and ``divergences.json`` says where Valor answers
otherwise on purpose, and why. A curve is stored as the steps where it changes; numbers are as
recorded, to the last digit. Rows hold labels and no annotations, so a recorded ``size`` is read
but for its number of annotations.

A case's results are one flat mapping from a path to a value, whatever call they came from:

=========================================== ======================================================
path                                        value
=========================================== ======================================================
``precision/<key>/<label>`` (recall, f1)    of the best label of each datum (``core``)
``accuracy/<key>``, ``rocauc/<key>``        (``core``)
``confusion/<key>/<truth>/<predicted>``     count, cells with a count only (``core``)
``pr_curve/<key>/<label>/<t>/<column>``     tp, fp, fn, tn, accuracy, precision, recall, f1
``detailed/<key>/<label>/<t>/<category>``   count, categories with a count or an example only
``detailed/.../<category>/examples``        uids; an example of several uids is a tuple of them
``size/labels``, ``size/datums``            what took part (``core``)
``accuracy/<t>``                            (``lite_counts``)
``counts/<t>/<label>/<column>``             tp, fp, fn, tn (``lite_counts``)
``precision/<t>/<label>`` (recall, f1)      (``lite_counts``)
``rocauc/<label>``, ``mrocauc``             (``lite_rocauc``)
``matrix/<t>/<truth>/<predicted>``          count, or the (uid, score) pairs, every cell
``unmatched/<t>/<truth>``                   count, or the uids, every label
``examples/<t>/<uid>``                      labels of (tp, fp, fn) (``lite_examples``)
``raises``                                  name of the error, and then nothing else
=========================================== ======================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

FOLDER = Path(__file__).parent / "golden"
APIS = (
    "core",
    "lite_counts",
    "lite_rocauc",
    "lite_confusion",
    "lite_confusion_examples",
    "lite_examples",
)

CURVE_THRESHOLDS = tuple(k / 20 for k in range(1, 20))
"""0.05 to 0.95, the thresholds of every recorded curve."""


@frozen
class Row:
    """One datum with its ground truths and predictions, in their order."""

    uid: str
    groundtruths: tuple[tuple[str, str], ...] = ()
    predictions: tuple[tuple[str, str, float], ...] = ()
    metadata: Mapping[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Filters:
    """Filter of a data set before counting; None keeps everything.

    Attributes
    ----------
    datums : tuple of str, optional
        Uids that stay.
    groundtruths : tuple of str, optional
        Datums whose ground truth is one of these labels stay.
    predictions : tuple of str, optional
        Predictions of these labels stay; a best label that goes is not replaced by the next best.
    """

    datums: tuple[str, ...] | None = None
    groundtruths: tuple[str, ...] | None = None
    predictions: tuple[str, ...] | None = None


@frozen(kw_only=True)
class GoldenCase:
    """One recorded call: what went in, what came out.

    Attributes
    ----------
    id : str
        ``core_clf_01``; the name under which divergences refer to it.
    api : str
        One of `APIS`.
    data : str
        Name of the data set.
    rows : tuple of Row
        The data set itself.
    label_key : str, optional
        The only label key of the data, for the ``lite`` calls.
    parameters : mapping
        ``score_thresholds``, ``hardmax``, ``limit``, ``offset``, ``metrics``, ``max_examples``,
        ``label_map`` (pairs of pairs), as far as the call had them.
    filters : Filters
    results : mapping of str to object
        Path to value, see the module.
    kind : str, optional
        ``convention``, ``bug``, or None for a case out of a test suite.
    note : str
        What the case shows.
    """

    id: str
    api: str
    data: str
    rows: tuple[Row, ...]
    label_key: str | None
    parameters: Mapping[str, Any]
    filters: Filters
    results: Mapping[str, Any]
    kind: str | None
    note: str


@frozen(kw_only=True)
class Divergence:
    """Results of one case that Valor gives otherwise, for one reason.

    Attributes
    ----------
    case : str
    reason : str
        Key into the table of reasons.
    results : tuple of str
        Patterns of paths; ``*`` stands for one segment, and a pattern covers all below it.
    ours : mapping of str to object
        Values worked out by hand: path to value, None where it is undefined.
    note : str
        The arithmetic.
    """

    case: str
    reason: str
    results: tuple[str, ...]
    ours: Mapping[str, Any]
    note: str

    def covers(self, path: str) -> bool:
        """Return whether a path is among the results that differ."""
        return any(_matches(pattern, path) for pattern in self.results)


def _matches(pattern: str, path: str) -> bool:
    wanted, found = pattern.split("/"), path.split("/")
    return len(wanted) <= len(found) and all(
        w in ("*", f) for w, f in zip(wanted, found, strict=False)
    )


@cache
def data_sets() -> Mapping[str, tuple[Row, ...]]:
    """Load the named data sets."""
    return {
        name: tuple(
            Row(
                uid=row["uid"],
                groundtruths=tuple((key, value) for key, value in row["groundtruths"]),
                predictions=tuple((key, value, score) for key, value, score in row["predictions"]),
                metadata=row.get("metadata", {}),
            )
            for row in rows
        )
        for name, rows in _read("data").items()
    }


@cache
def golden_cases(api: str | None = None) -> tuple[GoldenCase, ...]:
    """Load the cases of one call, or of all."""
    if api is None:
        return tuple(case for each in APIS for case in golden_cases(each))
    content = _read(api)
    return tuple(_case(api, entry, content.get("columns", {})) for entry in content["cases"])


@cache
def reasons() -> Mapping[str, str]:
    """Load the reasons for divergences, a sentence each."""
    return dict(_read("divergences")["reasons"])


@cache
def divergences(case: str | None = None) -> tuple[Divergence, ...]:
    """Load what Valor answers otherwise, for one case or for all."""
    if case is not None:
        return tuple(each for each in divergences() if each.case == case)
    return tuple(
        Divergence(
            case=entry["case"],
            reason=entry["reason"],
            results=tuple(entry["results"]),
            ours={path: _frozen(value) for path, value in entry.get("ours", {}).items()},
            note=entry.get("note", ""),
        )
        for entry in _read("divergences")["divergences"]
    )


def _read(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def _frozen(value: Any) -> Any:
    """Turn lists into tuples, at any depth."""
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _case(api: str, entry: Mapping[str, Any], columns: Mapping[str, list[str]]) -> GoldenCase:
    expected = entry["expected"]
    unpack = {
        "core": _core,
        "lite_counts": _lite_counts,
        "lite_rocauc": _lite_rocauc,
        "lite_confusion": _lite_confusion,
        "lite_confusion_examples": _lite_confusion_examples,
        "lite_examples": _lite_examples,
    }[api]
    results = expected if "raises" in expected else dict(unpack(expected, columns))
    return GoldenCase(
        id=entry["id"],
        api=api,
        data=entry["data"],
        rows=data_sets()[entry["data"]],
        label_key=None if api == "core" else "class",
        parameters={name: _frozen(value) for name, value in entry["parameters"].items()},
        filters=Filters(**{name: tuple(kept) for name, kept in entry.get("filters", {}).items()}),
        results=results,
        kind=entry["kind"],
        note=entry["note"],
    )


Pairs = Iterator[tuple[str, Any]]


def _steps(steps: list[Any]) -> Iterator[tuple[float, Any]]:
    """Repeat each step of a curve, which starts at a threshold, up to the next one."""
    starts = [start for start, *_ in steps]
    for threshold in CURVE_THRESHOLDS:
        _, *values = steps[sum(start <= threshold for start in starts) - 1]
        yield threshold, values


def _core(expected: Mapping[str, Any], columns: Mapping[str, list[str]]) -> Pairs:
    for key, labels in expected.get("labels", {}).items():
        for label, row in labels.items():
            for name, value in zip(columns["labels"], row, strict=True):
                if value is not None:
                    yield f"{name}/{key}/{label}", value
    for name in ("accuracy", "rocauc"):
        for key, value in expected.get(name, {}).items():
            yield f"{name}/{key}", value
    for key, cells in expected["confusion"].items():
        for truth, predicted, count in cells:
            yield f"confusion/{key}/{truth}/{predicted}", count
    for key, labels in expected.get("pr_curve", {}).items():
        for label, steps in labels.items():
            for threshold, row in _steps(steps):
                for name, value in zip(columns["pr_curve"][1:], row, strict=True):
                    yield f"pr_curve/{key}/{label}/{threshold!r}/{name}", value
    for key, labels in expected.get("detailed", {}).items():
        for label, steps in labels.items():
            for threshold, (categories,) in _steps(steps):
                for category, (count, *examples) in categories.items():
                    path = f"detailed/{key}/{label}/{threshold!r}/{category}"
                    yield path, count
                    yield f"{path}/examples", _frozen(examples)
    for name in ("labels", "datums"):
        yield f"size/{name}", expected["size"][name]


def _lite_counts(expected: Mapping[str, Any], columns: Mapping[str, list[str]]) -> Pairs:
    for threshold, step in expected.items():
        yield f"accuracy/{threshold}", step["accuracy"]
        for label, row in step["labels"].items():
            for name, value in zip(columns["labels"], row, strict=True):
                if name in ("tp", "fp", "fn", "tn"):
                    yield f"counts/{threshold}/{label}/{name}", value
                else:
                    yield f"{name}/{threshold}/{label}", value


def _lite_rocauc(expected: Mapping[str, Any], columns: Mapping[str, list[str]]) -> Pairs:
    for label, value in expected["rocauc"].items():
        yield f"rocauc/{label}", value
    yield "mrocauc", expected["mrocauc"]


def _lite_confusion(expected: Mapping[str, Any], columns: Mapping[str, list[str]]) -> Pairs:
    labels = expected["labels"]
    for threshold, step in expected["thresholds"].items():
        for truth, row, unmatched in zip(labels, step["matrix"], step["unmatched"], strict=True):
            yield f"unmatched/{threshold}/{truth}", unmatched
            for predicted, count in zip(labels, row, strict=True):
                yield f"matrix/{threshold}/{truth}/{predicted}", count


def _lite_confusion_examples(
    expected: Mapping[str, Any], columns: Mapping[str, list[str]]
) -> Pairs:
    labels = expected["labels"]
    for threshold, step in expected["thresholds"].items():
        cells = {(truth, predicted): pairs for truth, predicted, *pairs in step["matrix"]}
        for truth in labels:
            yield f"unmatched/{threshold}/{truth}", _frozen(step["unmatched"].get(truth, []))
            for predicted in labels:
                pairs = cells.get((truth, predicted), [])
                yield f"matrix/{threshold}/{truth}/{predicted}", _frozen(pairs)


def _lite_examples(expected: Mapping[str, Any], columns: Mapping[str, list[str]]) -> Pairs:
    for threshold, data in expected.items():
        for uid, sides in data.items():
            yield f"examples/{threshold}/{uid}", _frozen(sides)
