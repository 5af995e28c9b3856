"""Recorded BLEU and ROUGE of an earlier implementation of Valor."""

from __future__ import annotations

import pytest
from cases import for_each

from valor_core import evaluate
from valor_core.errors import ConfigError, ParameterError

from .generated import batch_of

WHOLE = [0.25, 0.25, 0.25, 0.25]
DOLPHINS = ["some random sentence", "some other sentence", "some final reference"]
DOLPHIN = "flip the roaring white dolphin"
CATS = ["the cat is on the mat", "there is a cat on the mat"]

BLEU: list[tuple[str, list[str], list[float], float]] = [
    ("Mary loves Joe", ["Mary loves Joe"], [1], 1.0),
    ("MARY LOVES JOE", ["Mary loves Joe"], [1], 0.0),
    ("Mary loves Joe", ["Mary loves Joe"], [0, 1], 1.0),
    ("Mary loves Joe", ["Mary loves Joe"], WHOLE, 0.0),
    ("Mary loves Joe", ["Mary loves Jane"], [1], 0.6666666666666666),
    ("Mary loves Joe", ["Mary loves Jane"], [0, 1], 0.5),
    ("Mary loves Joe", ["Mary loves Jane"], [0, 0, 1], 0.0),
    (DOLPHIN, [*DOLPHINS, DOLPHIN], [0, 1], 1.0),
    ("the the the the the the the", CATS, [1], 0.2857142857142857),
    ("the cat", CATS[:1], [1], 0.1353352832366127),
    ("Hello. World.", ["Hello World"], [0.5, 0.5], 1.0),
    ("cost $5 now", ["cost $5 now"], [0.5, 0.5], 1.0),
    ("", ["a b"], [1], 0.0),
    ("a b", [""], [1], 0.0),
    ("a b c d e", ["a b c d e"], WHOLE, 1.0),
]

ROUGE: list[tuple[str, list[str], bool, list[float]]] = [
    ("Mary loves Joe", ["Mary loves Joe"], False, [1, 1, 1, 1]),
    ("MARY LOVES JOE", ["Mary loves Joe"], False, [1, 1, 1, 1]),
    ("Mary loves Joe", ["Mary loves Jane"], False, [2 / 3, 0.5, 2 / 3, 2 / 3]),
    (
        *("flipping the roaring white dolphin", [DOLPHIN], False),
        [0.8000000000000002, 0.75, 0.8000000000000002, 0.8000000000000002],
    ),
    ("flipping the roaring white dolphin", [DOLPHIN], True, [1, 1, 1, 1]),
    ("flipping the roaring white dolphin", [*DOLPHINS, DOLPHIN], True, [1, 1, 1, 1]),
    ("", ["a b"], False, [0, 0, 0, 0]),
    ("a b c", ["c b a"], False, [1, 0, 1 / 3, 1 / 3]),
    ("first line\nsecond line", ["second line\nfirst line"], False, [1, 2 / 3, 0.5, 1]),
    ("a. b. c", ["c. b. a"], False, [1, 0, 1 / 3, 1 / 3]),
    ("x y", ["p q"], False, [0, 0, 0, 0]),
]


@for_each(("response", "references", "weights", "expected"), BLEU)
def test_bleu(response: str, references: list[str], weights: list[float], expected: float) -> None:
    report = evaluate(batch_of([(response, references)]), [{"name": "BLEU", "weights": weights}])

    assert report["BLEU"].value == expected


def test_bleu_without_weights_is_rejected() -> None:
    with pytest.raises(
        (ConfigError, ParameterError), match=r"text\.BLEU: weights must not be empty"
    ):
        evaluate(batch_of([("a", ["a"])]), [{"name": "BLEU", "bleu_weights": []}])


@pytest.mark.parametrize(("response", "references", "use_stemmer", "expected"), ROUGE)
def test_rouge(
    response: str, references: list[str], use_stemmer: bool, expected: list[float]
) -> None:
    chosen = {"name": "ROUGE", "use_stemmer": use_stemmer}
    report = evaluate(batch_of([(response, references)]), [chosen])

    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    assert report["ROUGE"].value == dict(zip(names, expected, strict=True))
