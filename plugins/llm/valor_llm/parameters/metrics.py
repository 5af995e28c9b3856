"""Parameters of the metrics and of the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from valor_core.errors import ParameterError, short_repr
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


_MOST_GRADES = 101
"""Large enough for 0 to 100; the prompt lists every grade."""


@parameters
class RubricParameters:
    """Parameters of Rubric.

    Examples
    --------
    >>> RubricParameters(criteria="Is it polite?", scale=(0, 2)).values
    {0: 0.0, 1: 1.0, 2: 2.0}
    >>> named = RubricParameters(criteria="Is it polite?", grades={"kind": 1, "rude": 0})
    >>> named.values
    {'rude': 0.0, 'kind': 1.0}
    """

    criteria: str = parameter(help="What the grade depends on, in your words.", non_empty=True)
    fields: tuple[Literal["query", "response", "references", "contexts"], ...] = parameter(
        default=("query", "response"),
        help="What of an item the judge is shown. An item without one of them is undefined.",
        non_empty=True,
        distinct=True,
    )
    scale: tuple[int, ...] = parameter(
        default=(1, 5), help="The lowest and the highest grade, where grades are whole numbers."
    )
    grades: Mapping[str, float] = parameter(
        default={}, help="Grades by name, each with its value, instead of `scale`."
    )
    meanings: Mapping[str, str] = parameter(
        default={}, help="What a grade means, by the grade, for as many grades as you like."
    )
    steps: tuple[str, ...] = parameter(
        default=(), help="How the judge is to proceed, one sentence a step."
    )

    @property
    def values(self) -> dict[Any, float]:
        """Values by grade, from the lowest."""
        if self.grades:
            return dict(sorted(self.grades.items(), key=lambda one: one[1]))
        low, high = self.scale
        return {grade: float(grade) for grade in range(low, high + 1)}

    def __attrs_post_init__(self) -> None:
        if not self.criteria.strip():
            raise ParameterError("criteria must not be blank")
        if self.grades:
            self._check_grades()
        else:
            self._check_scale()
        grades = set(map(str, self.values))
        for grade in self.meanings:
            if grade not in grades:
                raise ParameterError(
                    f"meanings must be by grades, got {short_repr(grade)}",
                    f"The grades are: {', '.join(map(str, self.values))}",
                )

    def _check_scale(self) -> None:
        remedy = "Write the lowest and the highest grade: scale: [1, 5]"
        if len(self.scale) != 2 or self.scale[0] >= self.scale[1]:
            raise ParameterError(
                f"scale must be two whole numbers that rise, got {short_repr(list(self.scale))}",
                remedy,
            )
        if self.scale[1] - self.scale[0] >= _MOST_GRADES:
            raise ParameterError(
                f"scale must have at most {_MOST_GRADES} grades, got "
                f"{self.scale[1] - self.scale[0] + 1}",
                remedy,
            )

    def _check_grades(self) -> None:
        remedy = "Write each grade with its value: grades: {poor: 0, fair: 0.5, good: 1}"
        if len(set(self.grades.values())) < 2:
            raise ParameterError(
                f"grades must have two values or more, got {short_repr(dict(self.grades))}", remedy
            )
        names = [name.strip().casefold() for name in self.grades]
        if "" in names or len(set(names)) < len(names):
            raise ParameterError(
                f"grades must have names that differ in more than case, got {short_repr(names)}",
                remedy,
            )


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
