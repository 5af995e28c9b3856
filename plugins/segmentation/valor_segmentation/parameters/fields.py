"""Parameters that several metrics have, each declared once."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import parameter

Average = Literal["none", "micro", "macro", "weighted"]


def average(default: tuple[Average, ...]) -> tuple[Average, ...]:
    """The parameter of averages over labels, with a default.

    Parameters
    ----------
    default : tuple of str
        Which averages there are where none is chosen.
    """
    average: tuple[Average, ...] = parameter(
        default=default,
        help="none is one result for each label; micro pools the pixels of all labels, macro is "
        "the plain mean over labels, weighted the mean by true pixels (frequency weighted).",
        non_empty=True,
        distinct=True,
    )
    return average
