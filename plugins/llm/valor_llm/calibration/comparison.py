"""Comparison: how far a judge says what humans say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.result import Undefined
from valor_llm.calibration.estimate import Estimate, standard_errors
from valor_llm.calibration.record import Calibration, Pair
from valor_llm.calibration.rogan_gladen import Share
from valor_llm.trust.agreement import (
    Coefficient,
    Confusion,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)


@frozen
class Comparison:
    """A judge beside humans, in numbers.

    Parameters
    ----------
    of : str
        What was compared: ``"verdicts"``, ``"scores"`` that are yes or no, or ``"grades"``.
    count : int
        How many there are.
    items : int
        How many items they are about.
    numbers : mapping of str to Estimate or Undefined
        By their names.
    """

    of: str
    count: int
    items: int
    numbers: Mapping[str, Estimate | Undefined]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        told: dict[str, Any] = {"of": self.of, "count": self.count, "items": self.items}
        for name, number in self.numbers.items():
            is_reason = isinstance(number, Undefined)
            told[name] = {"undefined": number.reason} if is_reason else number.to_dict()  # type: ignore[union-attr]
        return told


def compared(calibration: Calibration) -> list[Comparison]:
    """What the labels of a calibration say of its judge: of verdicts, and of items."""
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
    """Of what humans say yes and no to, to how much the judge does; None where there is nothing."""
    shares = []
    for wanted in (1.0, 0.0):
        by_item: dict[str, list[bool]] = {}
        for pair in pairs:
            if pair.human == wanted:
                by_item.setdefault(pair.item, []).append(pair.judge == wanted)
        shares.append(Share.of_answers([*by_item.values()]) if by_item else None)
    return shares[0], shares[1]


def _of_answers(of: str, pairs: Sequence[Pair]) -> Comparison:
    """Pairs that are yes or no."""
    judge, human = [pair.judge for pair in pairs], [pair.human for pair in pairs]
    items = [pair.item for pair in pairs]
    counts = Confusion.of([one == 1 for one in judge], [one == 1 for one in human])
    sensitivity, specificity = sensitivity_and_specificity(pairs)
    by_item: dict[str, list[bool]] = {}
    for pair in pairs:
        by_item.setdefault(pair.item, []).append(pair.human == 1)
    return Comparison(
        of,
        len(pairs),
        len({*items}),
        {
            "base_rate": _of_share(Share.of_answers([*by_item.values()])),
            "agreement": _estimate(percent_agreement(judge, human, items), 0),
            "kappa": _estimate(cohen_kappa(judge, human, items), -1),
            "ac1": _estimate(gwet_ac1(judge, human, (0.0, 1.0), items), -1),
            "sensitivity": _of_share(sensitivity) or _reason(counts.sensitivity),
            "specificity": _of_share(specificity) or _reason(counts.specificity),
        },
    )


def _of_grades(pairs: Sequence[Pair]) -> Comparison:
    """Pairs of numbers."""
    table = np.array([[pair.judge for pair in pairs], [pair.human for pair in pairs]])
    apart = table[0] - table[1]
    error = float(apart.std(ddof=1)) / len(pairs) ** 0.5 if len(pairs) > 1 else None
    alpha = krippendorff_alpha(table, "interval")
    said = alpha if isinstance(alpha, Undefined) else Estimate(alpha, alpha, alpha)
    return Comparison(
        "grades",
        len(pairs),
        len(pairs),
        {"alpha": said, "judge_minus_human": _estimate(Coefficient(float(apart.mean()), error))},
    )
