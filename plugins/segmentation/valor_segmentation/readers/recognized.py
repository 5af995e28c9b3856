"""Recognized: which reader is for two folders of label images."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from valor_core.plugin import Recognized


def png(files: Sequence[Path]) -> Recognized | None:
    """Two folders with images in PNG, the ground truths first."""
    if len(files) != 2 or not all(any(folder.glob("*.png")) for folder in files):
        return None
    groundtruths, predictions = map(str, files)
    return Recognized(
        data={"groundtruths": groundtruths, "predictions": predictions},
        metrics=("mIOU", "IOU"),
    )
