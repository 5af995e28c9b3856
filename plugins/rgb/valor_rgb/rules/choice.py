"""Choice: the set of rules that parameters name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.heuristic import HeuristicRules
from valor_rgb.rules.paper import PaperRules
from valor_rgb.rules.protocol import Rules
from valor_rgb.rules.robust import RobustRules

_PHRASES = ("rejection_phrases", "detection_phrases")
_SETS: Mapping[str, tuple[Callable[..., Rules], tuple[str, ...]]] = {
    "heuristic": (HeuristicRules, ("strict", *_PHRASES)),
    "paper": (PaperRules, ("without_blanks", *_PHRASES)),
    "robust": (RobustRules, ("absence_phrases", "document_words", "negations", *_PHRASES)),
}
"""Each set of rules and the parameters that it takes."""


@lru_cache(maxsize=32)
def rules_of(parameters: RuleParameters) -> Rules:
    """The set of rules that parameters name, with their phrases in place of its own.

    Examples
    --------
    >>> rules_of(RuleParameters(rules="paper", rejection_phrases="no idea")).refused("no idea")
    'phrase: no idea'
    """
    make, names = _SETS[parameters.rules]
    given: dict[str, Any] = {name: getattr(parameters, name) for name in names}
    return make(**{name: value for name, value in given.items() if value is not None})
