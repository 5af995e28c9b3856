"""Parameters of metrics of answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from valor_core.errors import ParameterError, shown
from valor_core.parameters import Within, parameter, parameters
from valor_text.parameters.fields import Prepared, normaliser, tokeniser

NO_PATTERN = (re.error, RecursionError, OverflowError)
"""Errors of `re.compile`."""


def _no_answer() -> bool:
    asked: bool = parameter(
        default=False,
        help="Whether a question can have no answer, as in SQuAD 2: an item without references, or "
        "with empty ones only, is answered right by an empty response. Empty references beside "
        "others do not count.",
    )
    return asked


@parameters
class ExactMatchParameters(Prepared):
    """Parameters of ExactMatch."""

    normaliser: str = normaliser("none")
    no_answer: bool = _no_answer()


@parameters
class TokenF1Parameters(Prepared):
    """Parameters of TokenF1."""

    normaliser: str = normaliser("squad")
    tokeniser: str = tokeniser("words")
    measures: tuple[Literal["f1", "precision", "recall"], ...] = parameter(
        default=("f1",),
        help="Which numbers every item gets, of the reference with the best F1. One alone is the "
        "value itself; several stand in it by name.",
        non_empty=True,
        distinct=True,
    )
    no_answer: bool = _no_answer()


def _require(what: str) -> Literal["any", "all"]:
    asked: Literal["any", "all"] = parameter(
        default="any", help=f"Whether one of {what} is enough, or all are required."
    )
    return asked


@parameters
class ContainsParameters(Prepared):
    """Parameters of Contains."""

    substrings: tuple[str, ...] = parameter(
        default=(), help="What to look for in every response; the item's references unless given."
    )
    require: Literal["any", "all"] = _require("the substrings")
    whole_words: bool = parameter(
        default=False,
        help="Whether no letter, digit or underscore may stand beside what is found: cat is in "
        "concatenate otherwise.",
    )
    normaliser: str = normaliser("none")

    def __attrs_post_init__(self) -> None:
        Prepared.__attrs_post_init__(self)
        if not all(self.substrings):
            raise ParameterError(
                f"substrings must not be empty, got {shown(list(self.substrings))}",
                "Every response contains an empty text: leave it out.",
            )


@parameters
class RegexParameters:
    """Parameters of Regex."""

    patterns: tuple[str, ...] = parameter(
        default=(),
        help="Regular expressions of Python, for every response; the item's references unless "
        "given.",
    )
    require: Literal["any", "all"] = _require("the patterns")
    whole: bool = parameter(
        default=False, help="Whether a pattern must match the whole response, and not a part."
    )
    ignore_case: bool = parameter(default=False, help="Whether upper and lower case are the same.")

    def __attrs_post_init__(self) -> None:
        for place, pattern in enumerate(self.patterns):
            try:
                re.compile(pattern)
            except NO_PATTERN as error:
                raise ParameterError(
                    f"patterns[{place}] must be a regular expression, got {shown(pattern)}: "
                    f"{error}",
                    "In YAML, put it in single quotes; a backslash before a character takes it "
                    "literally.",
                ) from error


@parameters
class NumericMatchParameters:
    """Parameters of NumericMatch."""

    absolute: float = parameter(
        default=0.0, help="How far a number may be from the reference.", check=Within(0)
    )
    relative: float = parameter(
        default=0.0,
        help="How far it may be, as a share of the reference; the wider of both tolerances counts.",
        check=Within(0),
    )
    take: Literal["last", "first", "any"] = parameter(
        default="last",
        help="Which number of a response counts: the last one, where reasoning comes before the "
        "answer, the first one, or any that fits.",
    )
    decimal: Literal[".", ","] = parameter(
        default=".", help="The decimal mark; the other of the two separates thousands."
    )
    percent: bool = parameter(
        default=True, help="Whether 5% is 0.05; otherwise the sign is passed over, and it is 5."
    )


@parameters
class PassAtKParameters:
    """Parameters of PassAtK."""

    k: tuple[int, ...] = parameter(
        default=(1,),
        help="How many attempts are drawn from the recorded ones; a number for each.",
        check=Within(1),
        non_empty=True,
        distinct=True,
    )
    measures: tuple[Literal["pass@k", "pass^k"], ...] = parameter(
        default=("pass@k",),
        help="pass@k is the chance that at least one of the k attempts passes, pass^k that all do.",
        non_empty=True,
        distinct=True,
    )


def _fenced() -> bool:
    asked: bool = parameter(
        default=False,
        help="Whether a response may have its JSON in a block of three backticks or between "
        "sentences, as chat models write it.",
    )
    return asked


@parameters
class JSONValidParameters:
    """Parameters of JSONValid."""

    fenced: bool = _fenced()


@parameters
class JSONSchemaParameters:
    """Parameters of JSONSchema."""

    schema: Mapping[str, Any] = parameter(
        help="The JSON schema, of any draft; without $schema it is one of draft 2020-12.",
    )
    fenced: bool = _fenced()


@parameters
class ChoiceMatchParameters:
    """Parameters of ChoiceMatch."""

    choices: tuple[str, ...] = parameter(
        default=("A", "B", "C", "D"),
        help="The letters that can be chosen, in upper case.",
        non_empty=True,
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        for choice in self.choices:
            if len(choice) != 1 or not choice.isalnum() or choice != choice.upper():
                raise ParameterError(
                    f"choices must be single letters in upper case or digits, got {shown(choice)}",
                    "For example: choices: [A, B, C, D, E]",
                )


@parameters
class JSONMatchParameters(Prepared):
    """Parameters of JSONMatch and JSONFields."""

    ordered: bool = parameter(
        default=True, help="Whether the order of lists counts; objects have none."
    )
    normaliser: str = normaliser("none")
    fenced: bool = _fenced()
    absolute: float = parameter(
        default=0.0,
        help="How far a number may be from the reference's.",
        check=Within(0),
        aliases=("tolerance",),
    )
    relative: float = parameter(
        default=0.0,
        help="How far it may be, as a share of the reference's; the wider of both counts.",
        check=Within(0),
    )


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    by: str = parameter(
        help="The metric that says how good an item is, with its namespace where that is another "
        "one: TokenF1, ROUGE, llm.Faithfulness."
    )
    settings: Mapping[str, Any] = parameter(default={}, help="Parameters of that metric.")
    number: str | None = parameter(
        default=None, help="Which number orders the items where the metric has several: rougeL."
    )
    worst: Literal["lowest", "highest"] | None = parameter(
        default=None,
        help="Which values come first; those that are worse by the metric's own direction unless "
        "given.",
    )
    limit: int | None = parameter(
        default=10, help="Most items listed; null is all.", check=Within(1)
    )
    offset: int = parameter(
        default=0, help="How many of the worst are passed over.", check=Within(0)
    )
    characters: int = parameter(
        default=300, help="Most characters of a text that are shown.", check=Within(1)
    )
