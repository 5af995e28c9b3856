"""Files in the benchmark's shapes, written here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

BASE: tuple[Row, ...] = (
    {
        "id": 0,
        "query": "Who won the race?",
        "answer": [["Ann Holm", "A. Holm"]],
        "positive": [f"Ann Holm won, says paper {i}." for i in range(6)],
        "negative": [f"It rained on day {i}." for i in range(6)],
        "level": "easy",
    },
    {
        "id": 1,
        "query": "When and where was it?",
        "answer": ["May", "Lindvik"],
        "positive": [f"It was in May in Lindvik, says paper {i}." for i in range(2)],
        "negative": ["A race has many helpers."],
        "level": "hard",
    },
)
INTEGRATION: tuple[Row, ...] = (
    {
        "id": 5,
        "query": "Who won the race, and when was it?",
        "answer": ["Ann", ["May", "may 3"]],
        "asnwer1": "Ann",
        "answer2": ["May", "may 3"],
        "positive": [["Ann won.", "First was Ann."], ["It was in May."]],
        "negative": ["It rained.", "Many came.", "None left.", "It was cold."],
    },
    {
        "id": 6,
        "query": "Who won the race, and where was it?",
        "answer": [],
        "asnwer1": "Ann",
        "answer2": ["Lindvik", "lindvik"],
        "positive": [["Ann won."], ["It was in Lindvik."]],
        "negative": ["It rained."],
    },
)
COUNTERFACTUAL: tuple[Row, ...] = (
    {
        "id": 9,
        "query": "What is the capital of Norway?",
        "answer": "Oslo",
        "fakeanswer": "Bergen",
        "positive": ["Oslo is the capital.", "The capital is Oslo."],
        "positive_wrong": ["Bergen is the capital.", "The capital is Bergen."],
        "negative": ["Norway has fjords."],
    },
)


def write_lines(path: Path, rows: Iterable[Row]) -> Path:
    """Write a file with an object in each line, and return its path."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def write_dataset(folder: Path) -> dict[str, Any]:
    """Write the three files, and return the parameters of the reader."""
    return {
        "noise_robustness": write_lines(folder / "en.json", BASE),
        "negative_rejection": folder / "en.json",
        "information_integration": write_lines(folder / "en_int.json", INTEGRATION),
        "counterfactual_robustness": write_lines(folder / "en_fact.json", COUNTERFACTUAL),
    }
