"""Detection of files of boxes by their first bytes and column names."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from valor_files import (
    Detected,
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
_RESULT = re.compile(rb'"(image_id|category_id)"\s*:')
_FIRST_METRICS = ("mAP", "AP", "Recall")


def coco(files: Sequence[Path]) -> Detected | None:
    """A data set and results in COCO's JSON, in any order; or two data sets.

    The annotations of a second data set need scores; the reader raises an error without them.
    """
    if len(files) != 2 or files[0] == files[1] or not all(map(_is_json, files)):
        return None
    heads = [_beginning(file) for file in files]
    # a data set is a table, results are a list
    order = sorted(range(2), key=lambda side: heads[side][:1] != b"{")
    truths, predictions = (files[side] for side in order)
    data_set, results = (heads[side] for side in order)
    if not _is_data_set(truths, data_set):
        return None
    if not _are_results(results) and not _is_data_set(predictions, results):
        return None
    data = {"groundtruths": str(truths), "predictions": str(predictions)}
    keys = _first_keys(results) if _are_results(results) else ()
    if "segmentation" in keys and "bbox" not in keys:
        data["iou_type"] = "segm"
    return Detected(data=data, metrics=("COCOSummary",))


def geojson(files: Sequence[Path]) -> Detected | None:
    """Two files of polygons in GeoJSON, the ground truths first."""
    if len(files) != 2 or any(file.suffix.casefold() != ".geojson" for file in files):
        return None
    truths, predictions = map(str, files)
    return Detected(
        data={"groundtruths": truths, "predictions": predictions}, metrics=_FIRST_METRICS
    )


def _is_json(file: Path) -> bool:
    return file.name.casefold().endswith((".json", ".json.gz"))


def _is_data_set(file: Path, head: bytes) -> bool:
    """Whether a JSON object is a COCO data set of boxes: images or annotations, no segments."""
    if head[:1] != b"{":
        return False
    text = head + _end(file)
    has_keys = any(key in text for key in (b'"images"', b'"annotations"'))
    return has_keys and b'"segments_info"' not in text


def _are_results(head: bytes) -> bool:
    """Whether a JSON list holds COCO results: it is empty, or an early entry has their keys."""
    if head[:1] != b"[":
        return False
    entries = head[1:].lstrip()
    return entries[:1] == b"]" or (entries[:1] == b"{" and _RESULT.search(entries) is not None)


def table(files: Sequence[TableSource]) -> Detected | None:
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
    return Detected(data=data, metrics=_FIRST_METRICS)


def _boxes(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The ways in which a table has boxes: how they are written, and their four columns."""
    for written, sets in _BOXES.items():
        for names in sets:
            columns = tuple(column_called(table, [name]) for name in names)
            if None not in columns:
                yield written, tuple(filter(None, columns))


def _first_keys(head: bytes) -> Collection[str]:
    """Keys of the first entry of results; those that occur in the beginning of a long one."""
    text = head.decode("utf-8", "replace")
    begin = text.find("{")
    try:
        entry, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return [key for key in ("segmentation", "bbox") if f'"{key}"' in text]
    return entry if isinstance(entry, dict) else ()


def _beginning(file: Path) -> bytes:
    """The first bytes of a file, unpacked, without a mark of the byte order."""
    try:
        with gzip.open(file) if _is_packed(file) else file.open("rb") as stream:
            return stream.read(_BEGINNING).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, EOFError, zlib.error):
        return b""


def _end(file: Path) -> bytes:
    """The last bytes of a file that is not packed."""
    if _is_packed(file):
        return b""
    try:
        with file.open("rb") as stream:
            stream.seek(-min(_BEGINNING, file.stat().st_size), os.SEEK_END)
            return stream.read()
    except OSError:
        return b""


def _is_packed(file: Path) -> bool:
    return file.suffix.casefold() == ".gz"
