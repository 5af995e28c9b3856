"""Every metric of the plugins keeps every law of the conformance kit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_llm.clients.lexical import Lexical
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters
from valor_testing import cases

PARAMETERS = {
    "llm": {
        "llm.Rubric": [
            {"criteria": "Does the response answer the query?"},
            {"criteria": "Is it brief?", "fields": ["response"], "grades": {"brief": 1, "long": 0}},
        ]
    },
    "nvidia": {},
}
JUDGE = Judge(JudgeParameters(cache="off"), Lexical(LexicalParameters()))


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{namespace}-{name}")
        for namespace, parameters in PARAMETERS.items()
        for name, check in cases(
            namespace, parameters=parameters, resources={"judge": JUDGE, "llm.judge": JUDGE}
        )
    ],
)
def test_the_laws_hold(check: Callable[[], None]) -> None:
    check()
