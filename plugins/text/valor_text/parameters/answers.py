"""Parameters of metrics of answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from valor_core.errors import ParameterError, short_repr
from valor_core.parameters import Within, parameter, parameters
from valor_text.parameters.fields import Prepared, normaliser, tokeniser

NO_PATTERN = (re.error, RecursionError, OverflowError)
"""Errors of `re.compile`."""


_NO_ANSWER: Any = parameter(
    default=False,
    help="Whether questions without an answer are allowed, as in SQuAD 2: an item with no "
    "references, or only empty ones, is correct if its response is empty. Empty references "
    "among others are ignored.",
)


@parameters
class ExactMatchParameters(Prepared):
    """Parameters of ExactMatch."""

    normaliser: str = normaliser("none")
    no_answer: bool = _NO_ANSWER


@parameters
class TokenF1Parameters(Prepared):
    """Parameters of TokenF1."""

    normaliser: str = normaliser("squad")
    tokeniser: str = tokeniser("words")
    measures: tuple[Literal["f1", "precision", "recall"], ...] = parameter(
        default=("f1",),
        help="Numbers for the reference with the best F1. A single one is the value itself; "
        "several are a table by name.",
        non_empty=True,
        distinct=True,
    )
    no_answer: bool = _NO_ANSWER


def _require(what: str) -> Literal["any", "all"]:
    asked: Literal["any", "all"] = parameter(
        default="any", help=f"Whether one of {what} is enough, or all are required."
    )
    return asked


@parameters
class ContainsParameters(Prepared):
    """Parameters of Contains."""

    substrings: tuple[str, ...] = parameter(
        default=(), help="Texts to search in every response; by default the item's references."
    )
    require: Literal["any", "all"] = _require("the substrings")
    whole_words: bool = parameter(
        default=False,
        help="Whether matches must be whole words, without adjacent letters, digits or "
        "underscores; otherwise concatenate contains cat.",
    )
    normaliser: str = normaliser("none")

    def __attrs_post_init__(self) -> None:
        Prepared.__attrs_post_init__(self)
        if not all(self.substrings):
            raise ParameterError(
                f"substrings must not be empty, got {short_repr(list(self.substrings))}",
                "Every response contains an empty text: remove it.",
            )


@parameters
class RegexParameters:
    """Parameters of Regex."""

    patterns: tuple[str, ...] = parameter(
        default=(),
        help="Regular expressions of Python for every response; by default the item's references.",
    )
    require: Literal["any", "all"] = _require("the patterns")
    whole: bool = parameter(
        default=False, help="Whether a pattern must match the whole response instead of a part."
    )
    ignore_case: bool = parameter(default=False, help="Whether case is ignored.")

    def __attrs_post_init__(self) -> None:
        for number, pattern in enumerate(self.patterns):
            try:
                re.compile(pattern)
            except NO_PATTERN as error:
                raise ParameterError(
                    f"patterns[{number}] must be a regular expression, got {short_repr(pattern)}: "
                    f"{error}",
                    "In YAML, put it in single quotes; a backslash before a character takes it "
                    "literally.",
                ) from error


@parameters
class NumericMatchParameters:
    """Parameters of NumericMatch."""

    absolute: float = parameter(
        default=0.0, help="Largest absolute difference from the reference.", check=Within(0)
    )
    relative: float = parameter(
        default=0.0,
        help="Largest difference as a share of the reference; the larger of both tolerances "
        "applies.",
        check=Within(0),
    )
    take: Literal["last", "first", "any"] = parameter(
        default="last",
        help="Number of a response that counts: the last one, after any reasoning; the first one; "
        "or any that matches.",
    )
    decimal: Literal[".", ","] = parameter(
        default=".", help="Decimal mark; the other one of the two separates thousands."
    )
    percent: bool = parameter(
        default=True, help="Whether 5% is 0.05; otherwise the sign is ignored, and it is 5."
    )


@parameters
class PassAtKParameters:
    """Parameters of PassAtK."""

    k: tuple[int, ...] = parameter(
        default=(1,),
        help="Numbers of attempts drawn from the recorded ones; each gives a number.",
        check=Within(1),
        non_empty=True,
        distinct=True,
    )
    measures: tuple[Literal["pass@k", "pass^k"], ...] = parameter(
        default=("pass@k",),
        help="pass@k is the probability that at least one of k attempts passes, pass^k that all "
        "pass.",
        non_empty=True,
        distinct=True,
    )


_FENCED: Any = parameter(
    default=False,
    help="Whether the JSON of a response may be in a block of three backticks or between "
    "sentences, as chat models write it.",
)


@parameters
class JSONValidParameters:
    """Parameters of JSONValid."""

    fenced: bool = _FENCED


@parameters
class JSONSchemaParameters:
    """Parameters of JSONSchema."""

    schema: Mapping[str, Any] = parameter(
        help="JSON schema of any draft; draft 2020-12 without $schema.",
    )
    fenced: bool = _FENCED


@parameters
class ChoiceMatchParameters:
    """Parameters of ChoiceMatch."""

    choices: tuple[str, ...] = parameter(
        default=("A", "B", "C", "D"),
        help="Letters of the choices, in uppercase.",
        non_empty=True,
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        for choice in self.choices:
            if len(choice) != 1 or not choice.isalnum() or choice != choice.upper():
                raise ParameterError(
                    "choices must be single letters in upper case or digits, "
                    f"got {short_repr(choice)}",
                    "For example: choices: [A, B, C, D, E]",
                )


@parameters
class JSONMatchParameters(Prepared):
    """Parameters of JSONMatch and JSONFields."""

    ordered: bool = parameter(
        default=True, help="Whether the order of lists matters; objects have no order."
    )
    normaliser: str = normaliser("none")
    fenced: bool = _FENCED
    absolute: float = parameter(
        default=0.0,
        help="Largest absolute difference of a number from the reference.",
        check=Within(0),
        aliases=("tolerance",),
    )
    relative: float = parameter(
        default=0.0,
        help="Largest difference as a share of the reference; the larger of both applies.",
        check=Within(0),
    )
