"""Examples: small data sets of the task for the conformance kit."""

from __future__ import annotations

from typing import Any

from valor_rgb.samples.batch import RGBBatch
from valor_rgb.samples.sample import RGBSample

FACTS: tuple[dict[str, Any], ...] = ({"file": "en"}, {"file": "zh", "note": None}, {})
PASSAGES = ("Oslo is the capital of Norway.", "Bergen has a harbor.")


def examples() -> dict[str, list[RGBBatch]]:
    """Data sets by name: all abilities, gaps of every kind, and texts of many scripts.

    Examples
    --------
    >>> sorted(examples())
    ['abilities', 'gaps', 'scripts']
    """
    return {"abilities": _abilities(), "gaps": _gaps(), "scripts": _scripts()}


def _abilities() -> list[RGBBatch]:
    noise, refuse, join, correct = (
        "noise_robustness",
        "negative_rejection",
        "information_integration",
        "counterfactual_robustness",
    )
    false = "The documents are wrong: it is Oslo, not Bergen."
    return [
        RGBBatch.of(
            [
                RGBSample("n1", noise, "Oslo", "Oslo", noise_ratio=0.0, metadata=FACTS[0]),
                RGBSample("n2", noise, "It is Bergen.", "Oslo", noise_ratio=0.4, contexts=PASSAGES),
                RGBSample("n3", noise, "I cannot answer.", ["Oslo"], noise_ratio=0.4),
                RGBSample("r1", refuse, "Insufficient information.", "Oslo", noise_ratio=1.0),
                RGBSample("r2", refuse, "It is Oslo.", "Oslo", noise_ratio=1.0, metadata=FACTS[1]),
            ]
        ),
        RGBBatch.of(
            [
                RGBSample("i1", join, "Ann in 1998", ["Ann", ["1998", "98"]], noise_ratio=0.2),
                RGBSample("i2", join, "Ann", ["Ann", ["1998", "98"]], noise_ratio=0.2),
                RGBSample("c1", correct, false, "Oslo", "Bergen", metadata=FACTS[0]),
                RGBSample("c2", correct, "It is Bergen.", "Oslo", ["Bergen", "bergen"]),
                RGBSample("c3", correct, "Oslo", "Oslo", "Bergen", closed_book=True),
            ]
        ),
    ]


def _gaps() -> list[RGBBatch]:
    return [
        RGBBatch.of(
            [
                RGBSample(1, "noise_robustness"),
                RGBSample(2, "noise_robustness", "Oslo"),
                RGBSample(3, "noise_robustness", "", "Oslo"),
                RGBSample(4, "information_integration", "Oslo", ["", "Oslo"]),
            ]
        ),
        RGBBatch.of(
            [
                RGBSample(5, "negative_rejection", "unknown"),
                RGBSample(6, "counterfactual_robustness", "wrong"),
                RGBSample(7, "counterfactual_robustness", " ", "Oslo", ["", "Bergen"]),
                RGBSample(8, "counterfactual_robustness", None, "Oslo", "Bergen", closed_book=True),
            ]
        ),
        RGBBatch.of([RGBSample(9, "negative_rejection", metadata=FACTS[2])]),
    ]


def _scripts() -> list[RGBBatch]:
    return [
        RGBBatch.of(
            [
                RGBSample("u1", "noise_robustness", "答案是东京。", "东京", noise_ratio=1 / 3),
                RGBSample("u2", "noise_robustness", "STRASSE", "Straße", noise_ratio=1 / 3),
                RGBSample("u3", "negative_rejection", "I don\u2019t know\u2026"),
            ]
        ),
        RGBBatch.of(
            [
                RGBSample("u4", "counterfactual_robustness", "ﬁne, 25 %", "fine", "25"),
                RGBSample(
                    "u5",
                    "information_integration",
                    "\u043d\u0435\u2028\u0434\u0430",
                    "\u0434\u0430",
                ),
            ]
        ),
    ]
