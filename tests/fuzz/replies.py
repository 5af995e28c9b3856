"""Fuzz replies of judges: what is read of a mutated one has the form that was asked for.

It is complete, or says what is wrong and what is missing. The right reply is read after it, as when
a judge is asked again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

from cases import fuzz
from mutations import MARKS, NUMBERS, mutated, mutated_tree
from valor_llm.replies.reading import ParsedReply, Shape
from valor_llm.replies.shapes import Rating, TextList, VerdictList, Verdicts

_WORDS = (
    *(*NUMBERS, *MARKS, b"<think>", b"</think>", b"```json\n", b"```", b'"verdict": "yes"'),
    *(b'"id": 1', b'"id": 2', b'"no"', b'{"verdicts": [', b'"properties": {', b'"rating": 4'),
)
_TEXTS = ["a", "b", "c", "d"]
_DATA = {"texts": _TEXTS, "others": _TEXTS[:2]}
_RIGHT: dict[str, tuple[Shape, Any]] = {
    "texts": (TextList("claims"), {"claims": _TEXTS}),
    "rating": (Rating((1, 2, 3, 4, 5)), {"analysis": "so", "rating": 4}),
    "grade": (Rating(("poor", "good")), {"analysis": "so", "rating": "good"}),
    "verdicts": (
        Verdicts((VerdictList("verdicts", "texts", ("yes", "no", "idk")),)),
        {
            "verdicts": [
                {"id": number, "analysis": f"of {number}", "verdict": word}
                for number, word in enumerate(("yes", "no", "idk", "no"), 1)
            ]
        },
    ),
    "pair": (
        Verdicts((VerdictList("response", "texts"), VerdictList("reference", "others"))),
        {
            "response": [{"id": 3, "analysis": "", "verdict": "yes"}],
            "reference": [{"id": 1, "analysis": "", "verdict": "no"}],
        },
    ),
}


def case(draw: Random, folder: Path) -> str:
    """What is read of a mutated reply, and of the right one after it."""
    name = draw.choice([*_RIGHT])
    shape, right = _RIGHT[name]
    if draw.random() < 0.5:
        content = mutated(draw, json.dumps(right).encode(), _WORDS)
    else:
        content = json.dumps(mutated_tree(draw, right)).encode()
    Path(folder, "reply.txt").write_bytes(content)
    text = content.decode("utf-8", draw.choice(["replace", "surrogateescape"]))
    reading = shape.read(text, _DATA, None, cut=draw.random() < 0.2)
    _check(shape, reading)
    schema = shape.schema(_DATA, reading.missing or None)
    again = shape.read(json.dumps(right), _DATA, reading)
    _check(shape, again)
    return f"{name} {reading} {json.dumps(schema)} {again}"


def _check(shape: Shape, reading: ParsedReply) -> None:
    """Raise an `AssertionError` if a reading has another form."""
    assert reading.is_complete or reading.fault, "a reason"
    if isinstance(shape, TextList):
        assert all(isinstance(one, str) for one in reading.value.get(shape.key, ())), "texts"
    elif isinstance(shape, Rating):
        assert not reading.is_complete or reading.value["rating"] in shape.grades, "a grade"
    elif isinstance(shape, Verdicts):
        for one in shape.lists:
            found = reading.value.get(one.key, {})
            ids = {*range(1, len(_DATA[one.items]) + 1)}
            assert ids.issuperset(found), "ids that there are"
            assert all(own.verdict in one.words for own in found.values()), "words that there are"
            if reading.missing:
                assert {*reading.missing[one.key]} == ids.difference(found), "the rest is missing"
    json.dumps(repr(reading)).encode()


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))
