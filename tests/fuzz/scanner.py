"""Fuzz the scanner of COCO's JSON: it makes of mutated files what the standard library does.

Scanned are short spans, so that one annotation lies in two of them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from attrs import fields, has
from cases import fuzz, refusal
from mutations import MARKS, NUMBERS, mutated
from valor_detection.coco_json import reference_scanner, scan
from valor_detection.coco_json.text import Text
from valor_detection.kernels import KERNELS

from valor_core.errors import ReadError

_TRUE = json.loads("""{
    "info": {"a": [1, {"b": "x\\\\\\"y},{"}], "n": null},
    "images": [
        {"id": 1, "height": 10, "width": 12, "file_name": "a.jpg"},
        {"id": 2, "height": 5, "width": 4, "x": [1, 2]}
    ],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2.5, 3, 4], "area": 12.0,
         "iscrowd": 0, "segmentation": [[1, 1, 5, 1, 5, 5.5, 1, 5]]},
        {"id": 2, "image_id": 2, "category_id": 2, "bbox": [0.125, 2, 3.0, 0.0015], "iscrowd": 1,
         "segmentation": {"size": [5, 4], "counts": [3, 4, 13]}},
        {"id": 3, "image_id": 2, "category_id": 2, "bbox": [],
         "attributes": {"o": [false, true, null, "},{"]},
         "segmentation": {"size": [5, 4], "counts": "52203"}},
        {"id": 4, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4.0], "area": null,
         "iscrowd": false, "segmentation": []}
    ],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dög"}]
}""")
_SEEN = [
    {"image_id": i % 2 + 1, "category_id": 1, "bbox": [i, 1.25, 3.5, 123456.789], "score": 0.1 * i}
    for i in range(6)
]
_MASK = {"size": [5, 4], "counts": "5220\\3"}
_MASKS = [{"image_id": 1, "segmentation": _MASK, "score": 0.5, "k": "é\\u0041"}] * 3
_FILES = (
    json.dumps(_TRUE).encode(),
    json.dumps(_TRUE, indent=1, ensure_ascii=False).encode(),
    b"\xef\xbb\xbf" + json.dumps(_TRUE, separators=(",", ":")).encode(),
    json.dumps(_SEEN).encode(),
    json.dumps(_SEEN, separators=(",", ":")).encode(),
    json.dumps(_MASKS).encode(),
    json.dumps({"annotations": _SEEN, "images": []}).encode(),
)
_WORDS = (
    *(
        *NUMBERS,
        *MARKS,
        b'"id":1,',
        b'"id"',
        b'"image_id"',
        b'"bbox"',
        b'"score"',
        b'"iscrowd":"1"',
    ),
    *(
        b'"segmentation"',
        b'"counts"',
        b'"size"',
        b'"annotations"',
        b'"images"',
        b'"annotations":[],',
    ),
    *(b'"images":[{"id":1}],', b'"\\u0069\\u0064"', b"[1,2,3,4]", b"[1,2,3]", b"[1,2,3,4,5]"),
    *(b'{"size":[5,4],"counts":"52203"}', b'{"counts":[1,2],"size":[1,3]}'),
)


def case(draw: Random, folder: Path) -> str:
    """What came of a mutated file, which is what the standard library makes of it."""
    content = mutated(draw, draw.choice(_FILES), _WORDS)
    masks, least = draw.random() < 0.5, draw.choice((40, 100, 300, 1 << 18))
    Path(folder, "file.json").write_bytes(content)
    if KERNELS.library is not None:
        from valor_detection.coco_json import compiled_scanner as compiled

        compiled._LEAST_SPAN = least
    expected = _outcome(reference_scanner.scan, content, masks)
    found = _outcome(scan, content, masks)
    if found != expected:
        raise AssertionError(f"masks {masks}: expected {expected[:800]}\nfound {found[:800]}")
    return found


def _outcome(scanner: Any, content: bytes, masks: bool) -> str:
    try:
        document = scanner(Text.of(content, "file.json"), masks=masks)
    except ReadError as error:
        return refusal(error)
    return "document " + ", ".join(_described(document))


def _described(record: Any, before: str = "") -> Iterator[str]:
    """Every column of a record, by a digest if it is long."""
    for attribute in fields(type(record)):
        name, value = before + attribute.name, getattr(record, attribute.name)
        if has(type(value)):
            yield from _described(value, f"{name}.")
        elif isinstance(value, np.ndarray):
            digest = hashlib.sha256(value.tobytes()).hexdigest()[:12]
            shown = value.tolist() if value.size < 20 else digest
            yield f"{name}: {value.dtype}{value.shape} {digest} {shown}"
        elif attribute.name.endswith("_text"):
            yield f"{name}: {json.loads(value or '0')!r}"
        else:
            yield f"{name}: {value!r}"


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))
