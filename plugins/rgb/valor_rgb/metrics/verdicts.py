"""Verdicts: outcomes of each response, and the rules that fired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core.results import ItemScore, NoScore, Undefined
from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.choice import Rules, rules_of
from valor_rgb.samples.batch import RGBBatch
from valor_rgb.samples.sample import Answers, Spellings

NAMES = ("correct", "rejected", "detected", "corrected")
"""Possible outcomes of a response."""

_NOT_ASKED = Undefined("not asked with false documents")


def score_many(
    batch: RGBBatch, parameters: RuleParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Score every response of a batch by rules.

    A number is 1.0 if the response has the outcome, else 0.0: it contains the answer (``correct``),
    refuses (``rejected``), or detects and corrects the error in the documents (``detected`` and
    ``corrected``). The details name the rule that fired for each outcome.

    Parameters
    ----------
    batch : RGBBatch
        The samples.
    parameters : RuleParameters
        The rules.
    resources : mapping
        None are needed.

    Returns
    -------
    list of ItemScore
        One for each sample, with all four numbers; unknown ones are undefined.
    """
    rules = rules_of(parameters)
    columns = zip(
        batch.ability,
        batch.response,
        batch.answers,
        batch.false_answer,
        batch.noise_ratio,
        batch.closed_book,
        strict=True,
    )
    return [_verdict(rules, *cells) for cells in columns]


def _verdict(
    rules: Rules,
    ability: str,
    response: str | None,
    answers: Answers,
    false_answer: Spellings,
    noise_ratio: float | None,
    closed_book: bool,
) -> ItemScore:
    about: dict[str, Any] = {
        "ability": ability,
        "noise_ratio": noise_ratio,
        "closed_book": closed_book,
    }
    if response is None:
        return ItemScore(dict.fromkeys(NAMES, Undefined("no response")), about)
    fired = {"correct": rules.right(response, answers), "rejected": rules.refused(response)}
    if ability == "counterfactual_robustness" and not closed_book:
        detected = rules.detected(response, false_answer)
        fired["detected"] = detected
        fired["corrected"] = rules.corrected(response, answers, false_answer, detected)
    value: dict[str, float | NoScore] = {
        name: float(fired[name] is not None) if name in fired else _NOT_ASKED for name in NAMES
    }
    if not answers:
        value["correct"] = Undefined("no answers")
    rule = {name: why for name, why in fired.items() if why is not None}
    return ItemScore(value, about | {"rule": rule})
