"""Parameters of the metrics."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import parameter, parameters


@parameters
class FaithfulnessParameters:
    """Parameters of Faithfulness."""

    no_claims: Literal["one", "undefined"] = parameter(
        default="one", help="Score of a response that claims nothing."
    )
