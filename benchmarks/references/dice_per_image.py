"""Record Dice coefficients per image by MONAI, for the tests of segmentation.

Run ``python benchmarks/references/dice_per_image.py`` in an environment with MONAI. It writes
``plugins/segmentation/tests/golden/dice_per_image.json``: the mean over images of each label, with
and without images that have no true pixel of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import monai
import numpy as np
import torch
from monai.metrics import DiceMetric

SEED = 33
LABELS = 4  # of which 0 is background
FILE = Path(__file__).parents[2] / "plugins/segmentation/tests/golden/dice_per_image.json"


def main() -> None:
    """Write the file."""
    rng = np.random.default_rng(SEED)
    sets: list[dict[str, Any]] = []
    for _ in range(12):
        images = int(rng.integers(1, 6))
        truths = rng.integers(0, LABELS, (images, 4, 5))
        predictions = np.where(rng.random(truths.shape) < 0.6, truths, rng.integers(0, LABELS))
        for image in range(images):  # most images lack a label on one side or on both
            for side in (truths, predictions):
                if rng.random() < 0.6:
                    side[image][side[image] == rng.integers(1, LABELS)] = 0
        one: dict[str, Any] = {"truths": truths.tolist(), "predictions": predictions.tolist()}
        for ignore_empty in (True, False):
            metric = DiceMetric(
                include_background=False, reduction="mean_batch", ignore_empty=ignore_empty
            )
            metric(
                *(
                    torch.tensor(np.eye(LABELS)[side]).permute(0, 3, 1, 2)
                    for side in (predictions, truths)
                )
            )
            means = metric.aggregate().tolist()
            # MONAI gives 0 for a label without any true pixel if it excludes these images.
            has_label = [(truths == label).any() for label in range(1, LABELS)]
            if ignore_empty:
                means = [mean if has else None for mean, has in zip(means, has_label, strict=True)]
            one["ignore_empty" if ignore_empty else "all_images"] = means
        sets.append(one)
    record = {"program": "MONAI", "version": monai.__version__, "seed": SEED}
    FILE.write_text(json.dumps(record | {"sets": sets}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
