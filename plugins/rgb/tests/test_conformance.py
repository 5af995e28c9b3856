"""Every metric of the plugin keeps every law of the conformance kit, by default and otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from valor_llm.clients.lexical import Lexical
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters
from valor_testing import cases

PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "rgb.NoiseRobustness": [{}, {"rules": "heuristic"}],
    "rgb.NegativeRejection": [{"rules": "paper", "rejection_phrases": "unknown"}],
    "rgb.InformationIntegration": [{"rules": "heuristic", "strict": True}],
    "rgb.CounterfactualRobustness": [{"negations": [], "confidence": 0.5}, {"rules": "paper"}],
    "rgb.Verdicts": [{}],
    "rgb.JudgedErrorCorrection": [{}, {"rules": "paper"}],
}
JUDGE = Judge(JudgeParameters(cache="off"), Lexical(LexicalParameters()))


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in cases("rgb", parameters=PARAMETERS, resources={"llm.judge": JUDGE})
    ],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
