"""Choice between compiled and reference kernels, and equality of their results."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from valor_classification.kernels import KERNELS

from valor_core import Registry

WHICH = """
from valor_classification import kernels
print(kernels.KERNELS.path, kernels.best.__name__)
"""

REPORT = """
import numpy as np
from valor_core import evaluate
from valor_classification import from_arrays

generator = np.random.default_rng(5)
scores = generator.random((3000, 12), np.float32).round(3)
scores /= scores.sum(axis=1, keepdims=True)
batch = from_arrays(generator.integers(0, 12, 3000), scores)
names = [
    "Accuracy", {"name": "Accuracy", "top_k": 3}, "F1", "ROCAUC", "ROCCurve", "AveragePrecision",
    "PrecisionRecallCurve", "ConfusionMatrix", "CohenKappa", "LogLoss", "BrierScore",
    "CalibrationError", {"name": "ROCAUC", "bins": 100},
]
print([result.to_dict() for result in evaluate(batch, names, "classification").results])
"""


def said(code: str, choice: str) -> str:
    environment = os.environ | {"VALOR_KERNELS": choice}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_numpy_runs_where_the_environment_says_so() -> None:
    assert said(WHICH, "numpy").split() == ["NumPy", "valor_classification.kernels.reference.best"]


@pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)
def test_both_kinds_of_kernels_make_the_same_report() -> None:
    assert said(WHICH, "").split() == ["compiled", "valor_classification.kernels.compiled.best"]
    assert said(REPORT, "") == said(REPORT, "numpy")


def test_manifest_names_the_kernels() -> None:
    assert Registry().manifest("classification").kernels == (
        "valor_classification.kernels:KERNELS",
    )
