"""Choice of a set of rules by parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.heuristic import HeuristicRules
from valor_rgb.rules.paper import PaperRules
from valor_rgb.rules.robust import RobustRules
from valor_rgb.samples.sample import Answers, Spellings


class Rules(Protocol):
    """Set of rules; each method returns the rule that fired, in words, or None."""

    def right(self, response: str, answers: Answers) -> str | None:
        """Return the rule by which the response has the answer."""

    def refused(self, response: str) -> str | None:
        """Return the rule by which the response refuses to answer."""

    def detected(self, response: str, false_answer: Spellings) -> str | None:
        """Return the rule by which the response detects an error in the documents."""

    def corrected(
        self, response: str, answers: Answers, false_answer: Spellings, detected: str | None
    ) -> str | None:
        """Return the rule by which the response corrects the error, given how it detected it."""


_PHRASES = ("rejection_phrases", "detection_phrases")
_SETS: Mapping[str, tuple[Callable[..., Rules], tuple[str, ...]]] = {
    "heuristic": (HeuristicRules, ("strict", *_PHRASES)),
    "paper": (PaperRules, ("without_blanks", *_PHRASES)),
    "robust": (RobustRules, ("absence_phrases", "document_words", "negations", *_PHRASES)),
}
"""Class and parameters of each set of rules."""


@lru_cache(maxsize=32)
def rules_of(parameters: RuleParameters) -> Rules:
    """Return the set of rules of parameters, with their phrases instead of the default ones.

    Examples
    --------
    >>> rules_of(RuleParameters(rules="paper", rejection_phrases="no idea")).refused("no idea")
    'phrase: no idea'
    """
    make, names = _SETS[parameters.rules]
    given: dict[str, Any] = {name: getattr(parameters, name) for name in names}
    return make(**{name: value for name, value in given.items() if value is not None})
