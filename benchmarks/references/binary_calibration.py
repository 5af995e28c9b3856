"""Record calibration errors of binary scores by torchmetrics, for the tests of classification.

Run ``python benchmarks/references/binary_calibration.py`` in an environment with torchmetrics. It
writes ``plugins/classification/tests/golden/binary_calibration.json``. No score equals an edge of a
bin, since torchmetrics closes bins below.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
import torchmetrics
from torchmetrics.functional.classification import binary_calibration_error

SEED = 33
FILE = Path(__file__).parents[2] / "plugins/classification/tests/golden/binary_calibration.json"


def main() -> None:
    """Write the file."""
    rng = np.random.default_rng(SEED)
    sets = []
    for bins in (1, 2, 7, 10, 15, 30):
        for _ in range(4):
            count = int(rng.integers(5, 60))
            truths = rng.integers(0, 2, count)
            raised = rng.random() * truths
            scores = ((rng.random(count) + raised) / (1 + raised.max())).round(5)
            scores = scores.astype(np.float32)
            assert not np.isin(scores, np.linspace(0, 1, bins + 1).astype(np.float32)).any()
            arguments = torch.tensor(scores), torch.tensor(truths), bins
            errors = {
                name: float(binary_calibration_error(*arguments, norm=norm))
                for name, norm in (("ece", "l1"), ("mce", "max"))
            }
            written = [float(f"{score:.5f}") for score in scores.tolist()]
            sets.append({"bins": bins, "truths": truths.tolist(), "scores": written, **errors})
    record = {"program": "torchmetrics", "version": torchmetrics.__version__, "seed": SEED}
    FILE.write_text(json.dumps(record | {"sets": sets}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
