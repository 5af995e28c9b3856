from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from attrs import define, field
from cases import for_each
from valor_testing import ConformanceError, check_resource

from valor_core.parameters import parameter, parameters
from valor_core.specs import ResourceSpec


@parameters
class JudgeParameters:
    """Parameters of the judges below."""

    model: str = parameter(default="small", help="Which model.")
    budget: int = parameter(default=10, help="Most calls.")


@define(eq=False)
class Judge:
    """Judge that keeps all laws."""

    parameters: JudgeParameters
    calls: int = 0
    stop: Any = None
    lock: Any = field(factory=threading.Lock)

    def ask(self) -> int:
        with self.lock:
            self.calls += 1
        return len(self.parameters.model)

    def facts(self) -> Any:
        return {"calls": self.calls, "model": self.parameters.model, "dollars": 0.5 * self.calls}


class Broken(Judge):
    def __init__(self, parameters: JudgeParameters) -> None:
        raise OSError("no such server")


class Unclosable(Judge):
    def close(self) -> None:
        raise OSError("closed already")


class OneAtATime(Judge):
    """Judge that fails under concurrent use, and waits to provoke it."""

    busy = threading.Lock()
    met = threading.Barrier(2)

    def ask(self) -> int:
        if threading.current_thread() is threading.main_thread():
            return 5
        if not self.busy.acquire(blocking=False):
            self.met.wait(60)
            raise RuntimeError("two threads at once")
        self.met.wait(60)
        self.busy.release()
        return 5


class Counting(Judge):
    def ask(self) -> int:
        super().ask()
        return self.calls


class Falling(Judge):
    def facts(self) -> Any:
        return {"budget left": 10 - self.calls}


class Forgetting(Judge):
    def facts(self) -> Any:
        return {} if self.calls else {"calls": 0}


class Remembering(Judge):
    """Judge that counts the calls of earlier openings again."""

    earlier = 0

    def ask(self) -> int:
        Remembering.earlier += 1
        return super().ask()

    def facts(self) -> Any:
        return {"calls": self.earlier}


class Nested(Judge):
    def facts(self) -> Any:
        return {"calls": {"all": self.calls}}


class Infinite(Judge):
    def facts(self) -> Any:
        return {"cost": float("inf")}


class Wide(Judge):
    width = 0


class Flagged(Judge):
    def ask(self) -> int:
        self.stop = True
        return 5


def spec(code: str, **facts: Any) -> ResourceSpec:
    values: dict[str, Any] = {
        "name": f"mylab.{code}",
        "summary": "A judge",
        "parameters": JudgeParameters,
        "implementation": f"{__name__}:{code}",
    }
    return ResourceSpec(**(values | facts))


def ask(judge: Any) -> Any:
    return judge.ask()


@pytest.mark.parametrize("use", [None, ask])
def test_valid_resource_keeps_all_laws(use: Callable[[Any], Any] | None) -> None:
    check_resource(spec("Judge", identity=("model",), divided=("budget",)), {"budget": 3}, use)


@for_each(
    ("code", "facts", "law", "finding"),
    [
        ("Judge", {"identity": ("modell",)}, "parameters that matter are declared", "'modell'"),
        ("Judge", {"divided": ("model",)}, "parameters that matter are declared", "is 'small'"),
        ("Broken", {}, "opens and closes", "OSError: no such server"),
        ("Unclosable", {}, "opens and closes", "OSError: closed already"),
        ("OneAtATime", {}, "safe from several threads", "two threads at once"),
        ("Counting", {}, "safe from several threads", "with several threads at once"),
        ("Falling", {}, "facts are plain and grow", "falls from 10 before use to 9 after"),
        ("Forgetting", {}, "facts are plain and grow", "'calls' is there before use and missing"),
        ("Nested", {}, "facts are plain and grow", "facts must be a table of numbers and texts"),
        ("Infinite", {}, "facts are plain and grow", "must be finite, got inf"),
        ("Remembering", {}, "facts count one opening", "expected 0 for 'calls' before use"),
        ("Wide", {}, "stop and width are plain", "expected None or a number of 1 or more, found 0"),
        ("Flagged", {}, "stop and width are plain", "expected None or a reason, found True"),
    ],
)
def test_broken_law_is_reported(code: str, facts: dict[str, Any], law: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as refused:
        check_resource(spec(code, **facts), use=ask)

    assert refused.value.law == law
    assert refused.value.of == f"mylab.{code}"
    assert finding in str(refused.value)


def test_missing_parameters_of_resource_are_named() -> None:
    with pytest.raises(ConformanceError, match=r"(?s)modell: unknown.*give them: parameters=…"):
        check_resource(spec("Judge"), {"modell": "big"})
