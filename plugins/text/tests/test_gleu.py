"""GLEU of items and corpora: computed by hand, and compared with nltk."""

from __future__ import annotations

from typing import Any

import pytest
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from valor_text.metrics.overlap import gleu
from valor_text.parameters.overlap import GLEUParameters

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.text import Text

from .generated import Items, arrays_only, batch_of, several

score = arrays_only(gleu.score)

CHOICES: list[dict[str, int]] = [{}, {"min_len": 2, "max_len": 3}, {"min_len": 1, "max_len": 1}]


def words(text: str) -> list[str]:
    return Tokenizer13a()(text.rstrip()).split()


def named(lengths: dict[str, int]) -> dict[str, int]:
    """Compute GLEU with Valor."""
    names = {"min_len": "shortest", "max_len": "longest"}
    return {names[name]: value for name, value in lengths.items()}


def of_corpus(items: Items, **chosen: Any) -> Any:
    report = evaluate(batch_of(items), [{"name": "CorpusGLEU", **chosen}])
    return report["CorpusGLEU"].only.value


def test_by_hand() -> None:
    # response "a b c": 3 words, 2 pairs, 1 triple: 6 n-grams; "a b d e": 4 + 3 + 2 + 1 = 10
    # in common: a, b, "a b": 3 of max(6, 10)
    # second reference "a": 1 of max(6, 1): the first one is better
    found = score(batch_of([("a b c", ["a b d e", "a"])]), GLEUParameters(), {})

    assert found.tolist() == [3 / 10]


def test_corpus_by_hand() -> None:
    # 3 of 10 as above; "a" against "a": 1 of 1; together 4/11, while the mean is 0.65
    items = [("a b c", ["a b d e"]), ("a", ["a"])]

    assert of_corpus(items) == 4 / 11


@pytest.mark.parametrize("lengths", CHOICES, ids=str)
def test_equal_to_nltk_for_items(lengths: dict[str, int]) -> None:
    items = several(300)
    expected = [
        sentence_gleu(list(map(words, references)), words(response), **lengths)
        for response, references in items
    ]

    found = score(batch_of(items), GLEUParameters(**named(lengths)), {})

    assert found.tolist() == expected


@pytest.mark.parametrize("lengths", CHOICES, ids=str)
def test_equal_to_nltk_for_corpora(lengths: dict[str, int]) -> None:
    for items in (several(150, seed=1), [("", ["", "a b c"])], [("", [""])]):
        references = [list(map(words, references_of_item)) for _, references_of_item in items]
        responses = [words(response) for response, _ in items]

        expected = corpus_gleu(references, responses, **lengths)

        assert of_corpus(items, **named(lengths)) == expected


def test_swapped_lengths_are_rejected() -> None:
    with pytest.raises(ParameterError, match="shortest must be at most longest, 2, got 3"):
        GLEUParameters(shortest=3, longest=2)


def test_item_without_references_is_excluded_from_corpus() -> None:
    items = [Text("q1", response="a", references="a"), Text("q2", response="a")]

    result = evaluate(items, ["CorpusGLEU"])["CorpusGLEU"].only

    assert result.value == 1.0
    assert dict(result.left_out) == {"undefined: no references": 1}
