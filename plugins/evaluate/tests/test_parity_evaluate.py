"""Modules give the results of `evaluate`, with its rounding of numbers."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import evaluate as hugging_face
import numpy as np
import pytest
from valor_evaluate.modules.module_metric import results

import valor_core
from valor_core import Classification, Text

MODULES = Path(__file__).parent / "evaluate_modules"
COUNT = 40
NUMBERS = random.Random(4)
WORDS = ["a", "the", "cat", "dog", "sat", "ran", "on", "under"]


def sentence() -> str:
    return " ".join(NUMBERS.choices(WORDS, k=NUMBERS.randint(1, 9)))


UIDS = [f"item {number:02}" for number in range(COUNT)]
SAID = [sentence() for _ in UIDS]
WANTED = [sentence() for _ in UIDS]
OTHERS = [[*NUMBERS.choices(WANTED, k=NUMBERS.randint(0, 2)), text] for text in WANTED]
ASKED = [sentence() for _ in UIDS]
PLACES = [[NUMBERS.uniform(-2, 2) for _ in UIDS] for _ in range(2)]
TAGS = [[" ".join(NUMBERS.choices(["O", "B-X"], k=4)) for _ in UIDS] for _ in range(2)]
CODES = [[NUMBERS.randint(0, 1) for _ in UIDS] for _ in range(2)]
CHANCES = [NUMBERS.random() for _ in UIDS]
PIXELS = [
    [[[NUMBERS.randint(0, 2) for _ in range(3)] for _ in range(2)] for _ in UIDS] for _ in "ab"
]


def texts(**columns: Sequence[Any]) -> list[Text]:
    """Texts in any order, with unique uids."""
    items = [
        Text(uid, **{name: column[place] for name, column in columns.items()})
        for place, uid in enumerate(UIDS)
    ]
    NUMBERS.shuffle(items)
    return items


def classes() -> list[Classification]:
    """Items of two classes in any order."""
    names = ("ham", "spam")
    items = []
    for uid, code, other, chance in zip(UIDS, *CODES, CHANCES, strict=True):
        scores = {"ham": 1 - chance, "spam": chance}
        items.append(Classification(uid, names[code], scores, {"other": names[other]}))
    NUMBERS.shuffle(items)
    return items


PREDICTED = [int(chance > 0.5) for chance in CHANCES]
ANSWERS = [
    {"id": uid, "prediction_text": said, "doubt": 0.5} for uid, said in zip(UIDS, SAID, strict=True)
]
TRUTHS = [
    {"id": uid, "answers": {"text": texts, "answer_start": [-1] * len(texts)}}
    for uid, texts in zip(UIDS, OTHERS, strict=True)
]

CASES: dict[str, tuple[list[Any], Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]] = {
    "length_ratio": (
        texts(response=SAID, references=WANTED),
        {"predictions": SAID, "references": WANTED},
        {},
        {},
    ),
    "shared_words": (
        texts(response=SAID, references=OTHERS),
        {"predictions": SAID, "references": OTHERS},
        {"samples": 7},
        {},
    ),
    "hits": (classes(), {"predictions": PREDICTED, "references": CODES[0]}, {}, {}),
    "distance": (
        texts(response=list(map(repr, PLACES[0])), references=list(map(repr, PLACES[1]))),
        {"predictions": PLACES[0], "references": PLACES[1]},
        {},
        {},
    ),
    "tagged": (
        texts(response=TAGS[0], references=TAGS[1]),
        {"predictions": [t.split() for t in TAGS[0]], "references": [t.split() for t in TAGS[1]]},
        {},
        {},
    ),
    "answered": (
        texts(response=SAID, references=OTHERS),
        {"predictions": ANSWERS, "references": TRUTHS},
        {"most_doubt": 0.5},
        {"columns": {"predictions.doubt": 0.5}},
    ),
    "repeated": (texts(response=SAID), {"data": SAID}, {}, {}),
    "ranked": (classes(), {"prediction_scores": CHANCES, "references": CODES[0]}, {}, {}),
    "pictures": (
        texts(response=list(map(str, PIXELS[0])), references=list(map(str, PIXELS[1]))),
        {
            "predictions": [np.array(image, np.uint8) for image in PIXELS[0]],
            "references": [np.array(image, np.uint8) for image in PIXELS[1]],
        },
        {},
        {},
    ),
    "paired": (
        classes(),
        {"predictions1": PREDICTED, "predictions2": CODES[1]},
        {},
        {"columns": {"predictions2": "metadata.other"}},
    ),
    "folded": (texts(response=SAID), {"data": SAID}, {}, {}),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder for cached modules of `evaluate`."""
    folder = tmp_path_factory.mktemp("evaluate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hugging_face.config, "HF_MODULES_CACHE", folder)
        patch.setattr(sys, "path", [*sys.path])
        for name in [*sys.modules]:
            if name.partition(".")[0] == "evaluate_modules":
                patch.delitem(sys.modules, name)
        yield folder


@pytest.mark.parametrize("name", CASES)
def test_module_results_equal_evaluate(name: str, cache: Path) -> None:
    items, columns, options, chosen = CASES[name]
    reference = hugging_face.load(str(MODULES / name), seed=3, cache_dir=str(cache))
    expected = results(reference.compute(**columns, **options), {}, {})
    choice = {"name": "hf.Module", "module": MODULES / name, "allow_code": True, "seed": 3}

    report = valor_core.evaluate(
        items, [choice | {"single_precision": True, "options": options} | chosen]
    )

    # `evaluate` does not seed Python's random module.
    found = {result.parameters.get("output"): result.value for result in report}
    found.pop("bootstrap.luck", None)
    wanted = {result.parameters.get("output"): result.value for result in expected}
    wanted.pop("bootstrap.luck", None)
    assert found == wanted


def test_arguments_besides_columns_are_options() -> None:
    items = texts(query=ASKED, response=SAID, references=OTHERS)
    choice = {"name": "hf.Module", "module": MODULES / "simplified", "allow_code": True}

    found = valor_core.evaluate(items, [choice])["Module"].value

    kept = sum(len(set(p.split()) & set(s.split())) for p, s in zip(SAID, ASKED, strict=True))
    assert found == 1 - kept / sum(len(set(source.split())) for source in ASKED)
