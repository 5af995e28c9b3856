"""The laws that hold for every plugin."""

from __future__ import annotations

import pytest
from valor_llm.clients.lexical import Lexical
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters

from valor_core import Registry
from valor_core.testing import check_plugin


@pytest.mark.parametrize("namespace", ["llm"])
def test_the_laws_hold(namespace: str) -> None:
    judge = Judge(JudgeParameters(cache="off"), Lexical(LexicalParameters()))
    check_plugin(namespace, Registry(), resources={"judge": judge, "llm.judge": judge})
