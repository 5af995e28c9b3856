"""Every metric of the plugin keeps every law of the conformance kit, by default and otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from valor_core.testing import cases

PARAMETERS = {
    "text.WER": [{}, {"normaliser": "lower", "tokeniser": "characters"}],
    "text.CER": [{}, {"normaliser": "lower"}],
    "text.MER": [{}],
    "text.WIL": [{}],
    "text.MeanWER": [{}, {"normaliser": "lower", "tokeniser": "jiwer"}],
    "text.MeanCER": [{}],
    "text.MeanMER": [{}],
    "text.MeanWIL": [{}],
    "text.WordErrors": [{}, {"worst": 0}, {"worst": 1, "tokeniser": "characters"}],
    "text.TER": [{}, {"normalized": True, "asian_support": True}],
    "text.CorpusTER": [{}, {"no_punct": True, "case_sensitive": True}],
    "text.EditDistance": [{}, {"relative": True, "tokeniser": "words"}],
}


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=name) for name, check in cases("text", parameters=PARAMETERS)],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
