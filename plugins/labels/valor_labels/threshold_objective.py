"""Parameters of the best score threshold: the number to optimize, and thresholds to apply."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters

ObjectiveName = Literal[
    "f_beta",
    "youden",
    "cost",
    "recall_at_precision",
    "precision_at_recall",
    "recall_at_specificity",
]

CONSTRAINED = ("recall_at_precision", "precision_at_recall", "recall_at_specificity")
"""Objectives that need a minimum."""

_USED: dict[str, tuple[str, ...]] = {
    "f_beta": ("beta",),
    "cost": ("false_positive_cost", "false_negative_cost"),
    **dict.fromkeys(CONSTRAINED, ("minimum",)),
}
"""Parameters that an objective uses."""

DEFAULT_OBJECTIVE = "f_beta"

OBJECTIVE_PARAMETERS = (
    "objective",
    "beta",
    "minimum",
    "false_positive_cost",
    "false_negative_cost",
)
"""Names in `ThresholdObjective.settings`."""


def _cost(mistake: str) -> Any:
    return parameter(
        default=1.0, help=f"Cost of a {mistake}, for the objective cost.", check=Within(0, 1e9)
    )


@parameters
class ThresholdObjective:
    """Parameters of BestThreshold in every family.

    Raises
    ------
    ParameterError
        If the objective does not use a parameter, or lacks its minimum.

    Examples
    --------
    >>> ThresholdObjective(objective="recall_at_precision", minimum=0.9).settings
    {'objective': 'recall_at_precision', 'minimum': 0.9}
    """

    objective: ObjectiveName | None = parameter(
        default=None,
        help="Number to optimize: f_beta; youden, which is recall + specificity - 1; the least "
        "cost; or the greatest recall or precision among thresholds that reach the minimum. Null "
        "is f_beta, or with apply the objective of the report.",
    )
    beta: float = parameter(
        default=1.0,
        help="How many times recall weighs as much as precision, for f_beta.",
        check=Within(0, 1_000_000, open_low=True),
    )
    minimum: float | None = parameter(
        default=None,
        help="Least precision, recall or specificity of a threshold, for the objectives "
        "recall_at_precision, precision_at_recall and recall_at_specificity.",
        check=Within(0, 1),
        aliases=("min_precision", "min_recall", "min_specificity", "at_least"),
    )
    false_positive_cost: float = _cost("false positive")
    false_negative_cost: float = _cost("false negative")
    average: tuple[Literal["none", "micro"], ...] = parameter(
        default=("none", "micro"),
        help="none is a threshold for each label, micro is one threshold for all labels.",
        non_empty=True,
        distinct=True,
    )
    apply: Path | None = parameter(
        default=None,
        help="Saved report of this metric, in .json. Its thresholds are applied to these data "
        "instead of finding new ones.",
    )

    def __attrs_post_init__(self) -> None:
        used = _USED.get(self.chosen, ())
        for name in OBJECTIVE_PARAMETERS[1:]:
            if name not in used and getattr(self, name) != _DEFAULTS[name]:
                owners = " or ".join(one for one, names in _USED.items() if name in names)
                raise ParameterError(
                    f"{name} has no effect with the objective {self.chosen}",
                    f"Leave {name} out, or set objective: {owners}.",
                )
        if self.chosen in CONSTRAINED and self.minimum is None:
            number = self.chosen.rpartition("_")[2]
            raise ParameterError(
                f"minimum: expected the least {number} for the objective {self.chosen}, found none",
                "Write it as: minimum: 0.9",
            )
        if self.false_positive_cost == self.false_negative_cost == 0:
            raise ParameterError("false_positive_cost and false_negative_cost must not both be 0")

    @property
    def chosen(self) -> str:
        """Name of the objective."""
        return self.objective or DEFAULT_OBJECTIVE

    @property
    def settings(self) -> dict[str, Any]:
        """The objective and the parameters that it uses, as a report records them."""
        used = _USED.get(self.chosen, ())
        return {"objective": self.chosen} | {name: getattr(self, name) for name in used}

    @property
    def is_default(self) -> bool:
        """True if neither the objective nor one of its parameters is set."""
        return self.objective is None and self.beta == 1


_DEFAULTS = {
    "beta": 1.0,
    "minimum": None,
    "false_positive_cost": 1.0,
    "false_negative_cost": 1.0,
}
