"""Results that an earlier Valor implementation gave for small images, as plain values.

``golden/lite.json`` holds the cases, ``golden/divergences.json`` says where Valor answers otherwise
on purpose, and why. Numbers are as recorded, to the last digit. What the earlier evaluator filtered
away has no pixels here. A mask is a list of rectangles: first and last row, first and last column,
the last ones exclusive.

A case's results are one flat mapping from a path to a value:

======================================== =========================================================
path                                     value
======================================== =========================================================
``accuracy``, ``miou``
``iou/<label>``, ``precision/<label>`` … also ``recall`` and ``f1``
``cell/<truth>/<prediction>``            intersection over union of their pixels
``missed/<label>``, ``invented/<label>`` shares of true and of predicted pixels on background
``pixels/<truth>/<prediction>``          pixels; an empty name is background
======================================== =========================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.schemas.segmentation import Segmentation

FOLDER = Path(__file__).parent / "golden"
MISSING = "missing"


@frozen(kw_only=True)
class GoldenCase:
    """One recorded call: what went in, what came out."""

    id: str
    images: list[dict[str, Any]]
    results: Mapping[str, Any]
    note: str

    @property
    def items(self) -> list[Segmentation]:
        """The images as objects."""
        return [
            Segmentation(
                image["uid"],
                _masks(image["shape"], image["truths"]),
                _masks(image["shape"], image["predictions"]),
                overlap="first",
            )
            for image in self.images
        ]


@frozen(kw_only=True)
class Divergence:
    """Results in which Valor differs on purpose."""

    case: str
    reason: str
    ours: Mapping[str, Any]


def _masks(shape: list[int], masks: list[Any]) -> dict[str, Any]:
    """An image for each label."""
    images: dict[str, Any] = {}
    for label, rectangles in masks:
        image = images.setdefault(label, np.zeros(shape, bool))
        for top, bottom, left, right in rectangles:
            image[top:bottom, left:right] = True
    return images


@cache
def cases() -> list[GoldenCase]:
    """All cases."""
    return [GoldenCase(**record) for record in json.loads((FOLDER / "lite.json").read_text())]


@cache
def reasons() -> dict[str, str]:
    """Why Valor answers otherwise, by name."""
    found: dict[str, str] = json.loads((FOLDER / "divergences.json").read_text())["reasons"]
    return found


@cache
def divergences() -> list[Divergence]:
    """All divergences."""
    records = json.loads((FOLDER / "divergences.json").read_text())["divergences"]
    return [Divergence(**record) for record in records]
