"""Parameters of the rules and of the metrics that follow them."""

from __future__ import annotations

from typing import Literal, get_args

from valor_core.errors import ParameterError, short_repr
from valor_core.parameters import Within, parameter, parameters

Ability = Literal[
    "noise_robustness",
    "negative_rejection",
    "information_integration",
    "counterfactual_robustness",
]
"""Answer despite irrelevant documents; refuse if no document contains the answer; combine an answer
from several documents; detect and correct errors in documents."""

ABILITIES: tuple[str, ...] = get_args(Ability)
"""All abilities, in the order of the paper."""


Phrases = tuple[str, ...]

_OWN = {
    "strict": "heuristic",
    "without_blanks": "paper",
    "absence_phrases": "robust",
    "document_words": "robust",
    "negations": "robust",
}
"""Parameters that only one set of rules has."""

_PHRASES = (
    "rejection_phrases",
    "absence_phrases",
    "detection_phrases",
    "document_words",
    "negations",
)


@parameters
class RuleParameters:
    """Parameters of the rules that judge a response."""

    rules: Literal["robust", "paper", "heuristic"] = parameter(
        default="robust",
        help="Set of rules: robust reads whole words, denials and sentences; paper searches fixed "
        "phrases and lower-case substrings; heuristic is the evaluator of RGBMetrics, "
        "exactly as coded.",
    )
    strict: bool = parameter(
        default=False,
        help="Whether a response has to equal the answer once both are normalized (heuristic).",
    )
    without_blanks: bool = parameter(
        default=False,
        help="Whether blanks are removed from a response before the answer is searched, as the "
        "paper does for Chinese (paper).",
    )
    rejection_phrases: Phrases | None = parameter(
        default=None,
        help="Phrases of a refusal; null is the English ones of the rules.",
        non_empty=True,
        distinct=True,
    )
    absence_phrases: Phrases | None = parameter(
        default=None,
        help="Phrases of a refusal that count in a sentence with a document word, or as the whole "
        "response; null is the English ones (robust).",
        distinct=True,
    )
    detection_phrases: Phrases | None = parameter(
        default=None,
        help="Phrases that say that a document is wrong; null is the English ones of the rules.",
        non_empty=True,
        distinct=True,
    )
    document_words: Phrases | None = parameter(
        default=None,
        help="Words for the documents; null is the English ones (robust).",
        non_empty=True,
        distinct=True,
    )
    negations: Phrases | None = parameter(
        default=None,
        help="Words that deny an answer which follows up to three words later in the same clause; "
        "null is the English ones (robust).",
        distinct=True,
    )

    def __attrs_post_init__(self) -> None:
        for name, rules in _OWN.items():
            value = getattr(self, name)
            if self.rules != rules and value not in (None, False):
                raise ParameterError(
                    f"{name} must be left out where rules is {self.rules}, got "
                    f"{'true' if value is True else list(value)}",
                    f"Only these rules have it: rules: {rules}",
                )
        for name in _PHRASES:
            phrases = getattr(self, name) or ()
            if not all(map(str.strip, phrases)):
                raise ParameterError(
                    f"{name} must not have an empty one, got {short_repr(list(phrases))}",
                    "Every response contains an empty phrase: leave it out.",
                )


@parameters
class AbilityParameters(RuleParameters):
    """Parameters of a metric of one ability."""

    confidence: float = parameter(
        default=0.95,
        help="Confidence of the Wilson interval around each rate.",
        check=Within(0, 1, open_low=True, open_high=True),
    )
