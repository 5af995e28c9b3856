"""Conformance of all metrics of the plugin, with default and other parameters."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_testing import cases


class Synonyms:
    """Stand-in for WordNet, whose data may be missing."""

    def synonyms(self, word: str) -> frozenset[str]:
        return frozenset({word[::-1], "a"})


PARAMETERS = {
    "text.WER": [{}, {"normaliser": "lower", "tokeniser": "characters"}],
    "text.CER": [{}, {"normaliser": "lower"}],
    "text.MER": [{}],
    "text.WIL": [{}],
    "text.MeanWER": [{}, {"normaliser": "lower", "tokeniser": "jiwer"}],
    "text.MeanCER": [{}, {"whitespace": False}],
    "text.MeanMER": [{}],
    "text.MeanWIL": [{}],
    "text.WordErrors": [{}, {"worst": 0}, {"worst": 1, "tokeniser": "characters"}],
    "text.TER": [{}, {"normalized": True, "asian_support": True}],
    "text.CorpusTER": [{}, {"no_punct": True, "case_sensitive": True}],
    "text.EditDistance": [{}, {"relative": True, "tokeniser": "words"}],
    "text.ROUGE": [
        {},
        {"tokeniser": "unicode_words"},
        {"use_stemmer": True, "measures": ["precision", "recall"]},
    ],
    "text.BLEU": [
        {},
        {"smoothing": "method6", "tokeniser": "characters"},
        {"smoothing": "method7", "weights": [0.5, 0.5], "normaliser": "lower"},
        {"definition": "sacrebleu", "smoothing": "floor", "effective_order": False},
    ],
    "text.CorpusBLEU": [
        {},
        {"smoothing": "method5", "tokeniser": "char"},
        {"smoothing": "method6", "tokeniser": "words"},
        {"definition": "sacrebleu", "smoothing": "add-k", "effective_order": True},
    ],
    "text.GLEU": [{}, {"shortest": 2, "tokeniser": "characters"}],
    "text.CorpusGLEU": [{}, {"longest": 2, "tokeniser": "intl", "normaliser": "lowercase"}],
    "text.ChrF": [{}, {"word_order": 2, "whitespace": True}],
    "text.CorpusChrF": [{}, {"word_order": 1, "eps_smoothing": True, "beta": 1}],
    "text.METEOR": [{}, {"alpha": 0.5, "tokeniser": "words"}, {"synonyms": "none"}],
    "text.ExactMatch": [{}, {"normaliser": "squad", "no_answer": True}],
    "text.TokenF1": [
        {},
        {
            "normaliser": "unicode",
            "tokeniser": "unicode_words",
            "no_answer": True,
            "measures": ["recall", "f1", "precision"],
        },
    ],
    "text.Contains": [{}, {"substrings": ["a", "e"], "require": "all", "whole_words": True}],
    "text.Regex": [{}, {"patterns": ["[a-m]", "t$"], "require": "all", "ignore_case": True}],
    "text.NumericMatch": [{}, {"take": "any", "relative": 0.1, "decimal": ",", "percent": False}],
    "text.JSONMatch": [
        {},
        {"ordered": False, "normaliser": "lower", "fenced": True, "relative": 0.1},
    ],
    "text.JSONFields": [{}, {"ordered": False, "normaliser": "lower", "absolute": 1.0}],
    "text.JSONValid": [{}, {"fenced": True}],
    "text.JSONSchema": [{"schema": {"type": "object"}}, {"schema": {}, "fenced": True}],
    "text.ChoiceMatch": [{}, {"choices": ["A", "E"]}],
    "text.PassAtK": [{}, {"k": [1, 3], "measures": ["pass@k", "pass^k"]}],
    "text.Examples": [
        {"by": "TokenF1"},
        {"by": "ROUGE", "number": "rougeL", "limit": 2, "offset": 1, "worst": "highest"},
    ],
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in cases("text", parameters=PARAMETERS, resources={"wordnet": Synonyms()})
    ],
)
def test_plugin_conforms(check: Callable[[], None]) -> None:
    check()
