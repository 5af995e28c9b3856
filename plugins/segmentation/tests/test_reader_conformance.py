"""Readers of the family keep every law of readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_testing import check_reader

from valor_core.specs import ReaderSpec, Registry

EXAMPLE = Path(__file__).parents[3] / "examples" / "segmentation"


def png(folder: Path) -> dict[str, Any]:
    return {
        "groundtruths": str(EXAMPLE / "groundtruths"),
        "predictions": str(EXAMPLE / "predictions"),
        "labels": ["sky", "water", "tree", "pagoda", "flower"],
        "ignore": [255],
    }


def npy(folder: Path) -> dict[str, Any]:
    random = np.random.default_rng(0)
    for side in ("true", "seen"):
        (folder / side).mkdir()
        for name in "abcd":
            np.save(folder / side / f"{name}.npy", random.integers(0, 3, (4, 5)))
    return {
        "groundtruths": str(folder / "true"),
        "predictions": str(folder / "seen"),
        "labels": ["cat", "dog"],
    }


@pytest.mark.parametrize("source", [png, npy])
def test_a_reader_gives_the_same_items_however_its_source_is_cut(
    source: Any, tmp_path: Path
) -> None:
    check_reader(Registry().find(ReaderSpec, f"segmentation.{source.__name__}"), source(tmp_path))
