"""Names of models that may mean another one tomorrow."""

from __future__ import annotations

from typing import Any

import pytest
from valor_llm.trust.panels import model_warnings


def answered(*models: str, judge: str | None = None) -> list[dict[str, Any]]:
    who = {} if judge is None else {"judge": judge}
    return [{"steps": [{"model": model, **who}]} for model in models]


@pytest.mark.parametrize(
    ("asked", "returned", "said"),
    [
        (
            "big-latest",
            "big-2026-05",
            "judge: the model 'big-latest' is a name for changing models, 'big-2026-05' answered; "
            "ask for that one",
        ),
        ("big-latest", "big-latest", "judge: the model 'big-latest' is a name for changing models"),
        (
            "big",
            "big-20260501",
            "judge: the model 'big' is a name for changing models, 'big-20260501' answered; ask "
            "for that one",
        ),
    ],
)
def test_a_floating_name_is_a_warning(asked: str, returned: str, said: str) -> None:
    assert model_warnings([asked], answered(returned)) == (said,)


@pytest.mark.parametrize(
    ("asked", "returned"),
    [
        ("big-2026-05-01", "big-2026-05-01"),
        ("llama3:8b", "llama3:8b"),
        ("org/model", "/models/model.gguf"),  # a local server's own name for the same file
        ("big", "bigger-2"),
    ],
)
def test_a_name_that_stays_is_none(asked: str, returned: str) -> None:
    assert model_warnings([asked], answered(returned)) == ()


def test_several_models_in_one_run_are_a_warning() -> None:
    found = model_warnings(["m"], [*answered("m1"), *answered("m2", "m1"), {}])
    assert found == (
        "judge: 2 models answered for one, 'm1' and 'm2'; their scores are averaged as if they "
        "were one's",
    )


def test_judges_of_a_panel_are_distinguished() -> None:
    details = [*answered("a-2026-01", judge="a"), *answered("b-7", judge="b at http://x/v1")]
    assert model_warnings(["a", "b-7", "b"], details) == (
        "judge: the model 'a' is a name for changing models, 'a-2026-01' answered; ask for that "
        "one",
        "judge: the model 'b' is a name for changing models, 'b-7' answered; ask for that one",
    )
    assert model_warnings(["a-2026-01"], answered("a-2026-01", judge="a-2026-01")) == ()
