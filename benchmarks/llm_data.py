"""Data of the benchmarks of judges: samples whose right scores are known.

The mock endpoint takes the sentences of a response as its claims, and supports a claim whose last
word stands in a context. A name stands in no other sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def samples(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Samples with their right score of Faithfulness.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        Seed of the numbers of claims and contexts.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        claims = int(generator.integers(2, 6))
        supported = int(generator.integers(0, claims + 1))
        order = generator.permutation(claims)
        facts = [f"Fact {number}-{one + 1} names stone{number}x{one}." for one in order]
        notes = [f"Note {number}-{one + 1} names stone{number}x{one}." for one in range(supported)]
        notes += [f"Note {number}-9 names sand{number}."]
        rows.append(
            {
                "uid": f"q{number:04d}",
                "query": f"What do the facts with the number {number} name?",
                "response": " ".join(facts),
                "contexts": notes,
                "right": supported / claims,
            }
        )
    return rows


def rated_samples(count: int) -> list[dict[str, Any]]:
    """Samples with their right score of SummaryCoherence: words modulo 5, and 1.

    Parameters
    ----------
    count : int
        How many.
    """
    rows = []
    for number in range(count):
        words = ["Tale", str(number), *["long"] * (number % 7)]
        rows.append(
            {
                "uid": f"q{number:04d}",
                "query": f"The source of text {number}.",
                "response": f"{' '.join(words)}.",
                "contexts": [],
                "right": float(1 + len(words) % 5),
            }
        )
    return rows
