"""Parameters of the metrics and of the gallery."""

from __future__ import annotations

from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class AnswerRelevanceParameters:
    """Parameters of AnswerRelevance."""

    no_statements: Literal["zero", "undefined"] = parameter(
        default="zero", help="Score of a response that states nothing."
    )


_NO_CONTEXTS: Any = parameter(
    default="undefined",
    help="Score of an item without contexts; zero where a retriever that finds nothing counts "
    "as wrong.",
)


@parameters
class ContextsParameters:
    """Parameters of ContextRelevance."""

    no_contexts: Literal["undefined", "zero"] = _NO_CONTEXTS


@parameters
class FaithfulnessParameters:
    """Parameters of Faithfulness."""

    no_claims: Literal["one", "undefined"] = parameter(
        default="one", help="Score of a response that claims nothing."
    )
    no_contexts: Literal["undefined", "zero"] = _NO_CONTEXTS


@parameters
class RetrievalParameters:
    """Parameters of ContextPrecision and ContextRecall."""

    both_empty: Literal["undefined", "one"] = parameter(
        default="undefined", help="Score of an item that has neither contexts nor references."
    )
    no_contexts: Literal["undefined", "zero"] = _NO_CONTEXTS


@parameters
class GroundingParameters:
    """Parameters of nvidia.ContextRelevance and nvidia.ResponseGroundedness."""

    blank: Literal["zero", "undefined"] = parameter(
        default="zero",
        help="Score of an item with a blank text to rate, or with blank contexts only.",
    )
    no_contexts: Literal["undefined", "zero"] = _NO_CONTEXTS


@parameters
class VerdictsParameters:
    """Parameters of Verdicts."""

    by: str = parameter(
        default="llm.Faithfulness", help="The judged metric of the run whose items are shown."
    )
    every: bool = parameter(
        default=False,
        help="Whether items are shown that have the best score, or none for a stated reason, too.",
    )
    characters: int = parameter(
        default=2000, help="Most characters of a text that are shown.", check=Within(1)
    )
