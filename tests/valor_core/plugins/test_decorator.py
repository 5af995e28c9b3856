from __future__ import annotations

import asyncio
import inspect
import pickle
import re
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

import pytest

from valor_core import evaluate, metric
from valor_core.errors import ManifestError, ParameterError
from valor_core.evaluation.bound_metric import bind_metrics
from valor_core.parameters import parameters_of
from valor_core.schemas.text.batch import Text
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import Range, Reference
from valor_core.specs.registry import Registry
from valor_core.specs.spec import RESERVED

ITEMS = [Text("q1", response="Paris"), Text("q2", response="Rom")]


@metric("mylab.LongEnough", task="text")
def long_enough(
    item: Any,
    *,
    length: Annotated[int, "Least number of characters."] = 4,
    rule: Literal["least", "exact"] = "least",
) -> float:
    """Check that a response is long enough.

    And some more words.
    """
    found = len(item.response)
    return float(found >= length if rule == "least" else found == length)


def test_spec_summary_is_first_docstring_line() -> None:
    assert long_enough.name == "mylab.LongEnough"
    assert long_enough.summary == "Check that a response is long enough"
    assert isinstance(long_enough, ItemMetricSpec)
    assert long_enough.range == Range(0, 1)


def test_keyword_arguments_become_parameters() -> None:
    length, rule = parameters_of(long_enough.parameters)

    assert (length.name, length.kind.words, length.default) == ("length", "whole number", 4)
    assert length.help == "Least number of characters."
    assert (rule.name, rule.kind.words, rule.default) == ("rule", "'least' or 'exact'", "least")
    assert rule.help == "Argument of long_enough."


def test_parameters_are_set_by_metric_choice() -> None:
    report = evaluate(ITEMS, [{"name": long_enough, "length": 3, "rule": "exact"}])

    assert report["LongEnough"].value == 0.5
    assert report["LongEnough"].only.parameters == {"length": 3, "rule": "exact"}


def test_parameters_pickle_by_import_string_of_metric(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType(long_enough.implementation.partition(":")[0])
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.long_enough = long_enough  # type: ignore[attr-defined]
    chosen = long_enough.parameters(length=3)

    assert pickle.loads(pickle.dumps(chosen)) == chosen


def test_unknown_parameter_is_rejected() -> None:
    with pytest.raises(ParameterError, match=r"mylab\.LongEnough: lenght: unknown key"):
        bind_metrics([{"name": long_enough, "lenght": 3}], Registry(), None)


def test_argument_without_default_is_required_parameter() -> None:
    @metric("mylab.Needy", task="text")
    def needy(item: Any, *, length: int) -> float:
        return 0.0

    with pytest.raises(ParameterError, match="expected a whole number, found none"):
        evaluate(ITEMS, [needy])


def test_decorator_arguments_are_kept_in_spec() -> None:
    reference = Reference("A paper")

    @metric(
        "mylab.Plain",
        task="text",
        higher_is_better=None,
        range=Range(0),
        references=(reference,),
        version=3,
    )
    def plain(item: Any) -> float:
        return 2.0

    assert plain.higher_is_better is None
    assert plain.range == Range(0)
    assert plain.references == (reference,)
    assert plain.identity == "mylab.Plain@3"
    assert plain.summary == "mylab.Plain"


def test_positional_argument_is_rejected() -> None:
    with pytest.raises(ManifestError, match="argument 'length' must be keyword-only"):

        @metric("mylab.Odd", task="text")
        def odd(item: Any, length: int = 3) -> float:
            return 0.0


def test_unannotated_argument_is_rejected() -> None:
    with pytest.raises(ManifestError, match="argument 'length' must be keyword-only and annotated"):

        @metric("mylab.Odd", task="text")
        def odd(item: Any, *, length=3) -> float:  # type: ignore[no-untyped-def]
            return 0.0


def test_unsupported_annotation_is_rejected() -> None:
    with pytest.raises(ManifestError, match="words has an unsupported annotation"):

        @metric("mylab.Odd", task="text")
        def odd(item: Any, *, words: list[str]) -> float:
            return 0.0


def test_function_without_item_argument_is_rejected() -> None:
    with pytest.raises(ManifestError, match="expected a function whose first argument is the item"):

        @metric("mylab.Odd", task="text")
        def odd(*, length: int = 3) -> float:
            return 0.0


def test_name_without_namespace_is_rejected() -> None:
    with pytest.raises(ManifestError, match=r"name must look like 'namespace\.Name'"):

        @metric("Odd", task="text")
        def odd(item: Any) -> float:
            return 0.0


def test_decorated_function_is_callable() -> None:
    @metric("mylab.Share", task="text")
    def share(item: Any, *, of: int = 4) -> float:
        return len(item.response) / of

    assert share(Text("q1", response="abc")) == 0.75
    assert share(Text("q1", response="abc"), of=6) == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"off": 3}, "mylab.Share: off: unknown key"),
        ({"of": "3"}, "of must be a whole number, got '3'"),
        ({}, "expected a whole number, found none"),
    ],
)
def test_call_arguments_are_checked(arguments: dict[str, Any], message: str) -> None:
    @metric("mylab.Share", task="text")
    def share(item: Any, *, of: int) -> float:
        return len(item.response) / of

    with pytest.raises(ParameterError, match=re.escape(message)):
        share(Text("q1", response="abc"), **arguments)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda item: 1.0, "expected a function with a name, got <lambda>"),
        (partial(len), "expected a function with a name, got partial"),
    ],
)
def test_callable_without_name_is_rejected(function: Any, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        metric("mylab.One", task="text")(function)


def test_function_receives_its_resources(mylab: Path) -> None:
    @metric("mylab.Known", task="text", resources=("dictionary",))
    def known(item: Any, *, dictionary: Any, least: int = 1) -> float:
        """Check that all words are in the dictionary."""
        return float(sum(map(dictionary.has, item.response.split())) >= least)

    report = evaluate(
        [Text("q1", response="dog"), Text("q2", response="cat dog")],
        [{"name": known, "least": 2}],
        resources={"dictionary": {"words": ["dog", "cat"]}},
    )

    assert report["Known"].value == 0.5
    assert [one.name for one in parameters_of(known.parameter_class)] == ["least"]


def test_coroutine_function_is_metric() -> None:
    @metric("mylab.Slow", task="text", resources=("mylab.dictionary",))
    async def slow(item: Any, *, dictionary: Any) -> float:
        await asyncio.sleep(0)
        return float(bool(dictionary.known(item.response)))

    assert inspect.iscoroutinefunction(slow.score)
    assert asyncio.run(slow(Text("q1", response="dog"), dictionary=Known(["dog"]))) == 1.0


class Known:
    def __init__(self, words: list[str]) -> None:
        self.words = words

    def known(self, text: str) -> list[str]:
        return [word for word in text.split() if word in self.words]


def test_direct_call_passes_resource() -> None:
    @metric("mylab.Known", task="text", resources=("llm.judge",))
    def known(item: Any, *, judge: Any) -> float:
        return float(len(judge.known(item.response)))

    assert known(Text("q1", response="a b c"), judge=Known(["a", "b"])) == 2.0
    with pytest.raises(ParameterError, match="expected the resource, found none"):
        known(Text("q1", response="a"))


def test_resource_without_argument_is_rejected() -> None:
    with pytest.raises(ManifestError, match="expected a keyword-only argument"):

        @metric("mylab.Odd", task="text", resources=("judge",))
        def odd(item: Any, *, jugde: int = 3) -> float:
            return 0.0


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_parameter_name_is_rejected(name: str) -> None:
    text = f"def odd(item, *, {name}: int = 3) -> float:\n    return 0.0\n"
    namespace: dict[str, Any] = {"__name__": "odd"}
    exec(text, namespace)

    with pytest.raises(ManifestError, match="is reserved"):
        metric("mylab.Odd", task="text")(namespace["odd"])


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [((), {}), ((1, 2), {}), ((), {"of": 2})],
)
def test_call_without_an_item_shows_how_to_choose_and_call_the_metric(
    arguments: tuple[Any, ...], parameters: dict[str, Any]
) -> None:
    @metric("mylab.Share", task="text")
    def share(item: Any, *, of: int = 4) -> float:
        return len(item.response) / of

    chosen = {"name": "mylab.Share", **parameters}
    with pytest.raises(ParameterError, match=r"mylab\.Share: expected an item and") as caught:
        share(*arguments, **parameters)

    assert str(caught.value.remedy) == (
        f"Choose it as a metric with {chosen}, or score an item with: share(item)"
    )
    assert repr(share) == "<metric mylab.Share>"
