"""Recognized: which reader is for some files of boxes, told from how they begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from valor_core.plugin import (
    Recognized,
    Table,
    TableSource,
    column_called,
    first_rows,
    named_source,
    renamed,
)

_BEGINNING = 1 << 16
_UID = ("uid", "image_id", "image", "filename", "file", "id")
_LABEL = ("label", "class", "category", "class_name", "name")
_SCORE = ("score", "confidence", "conf", "probability", "prob")
_BOXES = {
    "xyxy": (("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2")),
    "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("left", "top", "w", "h")),
    "cxcywh": (("cx", "cy", "w", "h"), ("x_center", "y_center", "width", "height")),
}
_RESULT = re.compile(rb'\[\s*\{[^\]}]*"(image_id|category_id)"')
_FIRST_METRICS = ("mAP", "AP", "Recall")


def coco(files: Sequence[Path]) -> Recognized | None:
    """A data set and results in COCO's JSON, in any order."""
    if len(files) != 2 or any(file.suffix.casefold() != ".json" for file in files):
        return None
    # a data set is a table, results are a list: it puts the data set first
    by_bracket = sorted((_beginning(file), file) for file in files)[::-1]
    (data_set, truths), (results, predictions) = by_bracket
    if data_set[:1] != b"{" or not _RESULT.match(results):
        return None
    data = {"groundtruths": str(truths), "predictions": str(predictions)}
    entry = results.partition(b"}")[0]
    if b'"segmentation"' in entry and b'"bbox"' not in entry:
        data["iou_type"] = "segm"
    return Recognized(data=data, metrics=("COCOSummary",))


def table(files: Sequence[TableSource]) -> Recognized | None:
    """Two tables with a box in each row, one of them with scores."""
    tables = [first_rows(file) for file in files]
    known = [one for one in tables if one is not None]
    if len(known) != 2 or len(files) != 2:
        return None
    scores = [column_called(one, _SCORE) for one in known]
    if sorted(score is not None for score in scores) != [False, True]:
        return None
    results = 0 if scores[0] is not None else 1
    truths = known[1 - results]
    uid, label = column_called(truths, _UID), column_called(truths, _LABEL)
    box = next(_boxes(truths), None)
    if uid is None or label is None or box is None:
        return None
    if not all(known[results].has(name) for name in (uid, label, *box[1])):
        return None
    data: dict[str, object] = {
        "groundtruths": named_source(files[1 - results]),
        "predictions": named_source(files[results]),
        **renamed({"uid": uid, "label": label, "score": scores[results]}),
    }
    if box[1] != _BOXES["xyxy"][0]:
        data |= {"box": list(box[1]), "box_format": box[0]}
    return Recognized(data=data, metrics=_FIRST_METRICS)


def _boxes(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The ways in which a table has boxes: how they are written, and their four columns."""
    for written, sets in _BOXES.items():
        for names in sets:
            columns = tuple(column_called(table, [name]) for name in names)
            if None not in columns:
                yield written, tuple(filter(None, columns))


def _beginning(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_BEGINNING).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError:
        return b""
