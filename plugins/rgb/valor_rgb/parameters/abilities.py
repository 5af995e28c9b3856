"""Abilities: what the benchmark tests of a model that answers from retrieved documents."""

from __future__ import annotations

from typing import Literal, get_args

Ability = Literal[
    "noise_robustness",
    "negative_rejection",
    "information_integration",
    "counterfactual_robustness",
]
"""Answering in spite of irrelevant documents; refusing where no document has the answer; putting
an answer together from several documents; noticing and correcting false documents."""

ABILITIES: tuple[str, ...] = get_args(Ability)
"""All of them, in the order of the paper."""
