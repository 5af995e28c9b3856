"""Agreement of a judge with human labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from valor_intervals import LEVEL

from valor_core.results import Undefined
from valor_llm.calibration.estimates import Estimate, Share, standard_errors
from valor_llm.calibration.record import Calibration, Pair
from valor_llm.trust.agreement import (
    Coefficient,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
)


@frozen
class Comparison:
    """Agreement of a judge with human labels, as numbers.

    Parameters
    ----------
    of : str
        Compared values: ``"verdicts"`` or ``"scores"``.
    count : int
        Number of pairs.
    items : int
        Number of items.
    numbers : mapping of str to Estimate or Undefined
        Numbers by name.
    """

    of: str
    count: int
    items: int
    numbers: Mapping[str, Estimate | Undefined]

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON types."""
        record: dict[str, Any] = {"of": self.of, "count": self.count, "items": self.items}
        for name, number in self.numbers.items():
            if isinstance(number, Undefined):
                record[name] = {"undefined": number.reason}
            else:
                record[name] = {"value": number.value, "interval": number.interval}
        return record


def compared(calibration: Calibration) -> list[Comparison]:
    """Compare the verdicts and the scores of a judge with the labels of a calibration."""
    found = []
    if calibration.verdicts:
        found.append(_of_answers("verdicts", calibration.verdicts))
    if calibration.items:
        is_binary = calibration.is_binary
        found.append(
            _of_answers("scores", calibration.items) if is_binary else _of_grades(calibration.items)
        )
    return found


def sensitivity_and_specificity(pairs: Sequence[Pair]) -> tuple[Share | None, Share | None]:
    """Return the judge's true positive and true negative rate; None without such labels."""
    shares = []
    for wanted in (1.0, 0.0):
        selected = [pair for pair in pairs if pair.human == wanted]
        answers = [pair.judge == wanted for pair in selected]
        shares.append(_by_item([pair.item for pair in selected], answers))
    return shares[0], shares[1]


def _by_item(items: Sequence[str], answers: Sequence[bool]) -> Share | None:
    """Return the share of yes, clustered by item; None without answers."""
    by_item: dict[str, list[bool]] = {}
    for item, answer in zip(items, answers, strict=True):
        by_item.setdefault(item, []).append(answer)
    return Share.of_answers([*by_item.values()]) if by_item else None


def _of_answers(of: str, pairs: Sequence[Pair]) -> Comparison:
    """Pairs that are yes or no."""
    judge, human = [pair.judge for pair in pairs], [pair.human for pair in pairs]
    items = [pair.item for pair in pairs]
    sensitivity, specificity = sensitivity_and_specificity(pairs)
    answers = [*zip(judge, human, strict=True)]
    return Comparison(
        of,
        len(pairs),
        len({*items}),
        {
            "base_rate": _of_share(_by_item(items, [one == 1 for one in human])),
            "agreement": _of_share(_by_item(items, [one == two for one, two in answers])),
            "kappa": _estimate(cohen_kappa(judge, human, items), 1),
            "ac1": _estimate(gwet_ac1(judge, human, (0.0, 1.0), items), 1),
            "sensitivity": _of_share(sensitivity, "no label is positive"),
            "specificity": _of_share(specificity, "no label is negative"),
        },
    )


def _of_grades(pairs: Sequence[Pair]) -> Comparison:
    """Pairs of numbers."""
    table = np.array([[pair.judge for pair in pairs], [pair.human for pair in pairs]])
    apart = table[0] - table[1]
    error = float(apart.std(ddof=1)) / math.sqrt(len(pairs)) if len(pairs) > 1 else None
    alpha = krippendorff_alpha(table, "interval")
    return Comparison(
        "scores",
        len(pairs),
        len(pairs),
        {
            "alpha": alpha if isinstance(alpha, Undefined) else Estimate(alpha),
            "judge_minus_human": _estimate(Coefficient(float(apart.mean()), error)),
        },
    )


def _of_share(share: Share | None, why: str = "") -> Estimate | Undefined:
    return Undefined(why) if share is None else Estimate(share.value, *share.interval())


def _estimate(found: Coefficient | Undefined, highest: float = math.inf) -> Estimate | Undefined:
    """Return an estimate with its interval; without one if the error is 0 or unknown."""
    if isinstance(found, Undefined):
        return found
    if not found.error:
        return Estimate(found.value)
    half = standard_errors(LEVEL) * found.error
    return Estimate(
        found.value, max(-highest, found.value - half), min(highest, found.value + half)
    )
