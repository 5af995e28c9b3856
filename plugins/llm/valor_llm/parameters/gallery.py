"""Parameters of the gallery."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters


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
