"""Tests with numbers computed by hand, of both implementations, and the conformance test."""

import numpy as np
import pytest
import regression  # the plugin of the task, see pythonpath in pyproject.toml
from valor_core import Registry, evaluate
from valor_testing import check_plugin

from valor_pinball import kernels
from valor_pinball.kernels import reference


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.register("regression", regression)
    return registry


def test_loss_by_hand(registry: Registry) -> None:
    # Errors -0.5, 0, 1, -1: 0.9 * 1 for the one that is too low, 0.1 * (0.5 + 0 + 1) for others.
    metric = {"name": "pinball.PinballLoss", "quantile": 0.9}

    report = evaluate([1.0, 2, 3, 6], [1.5, 2, 2, 7], [metric], registry=registry)

    assert report["PinballLoss"].value == pytest.approx((0.9 + 0.1 * 1.5) / 4)


@pytest.mark.skipif(kernels.KERNELS.library is None, reason=kernels.KERNELS.reason)
def test_both_implementations_agree() -> None:
    truths, predictions = np.random.default_rng(0).normal(size=(2, 500))

    expected = reference.pinball_losses(truths, predictions, 0.3)

    assert kernels.pinball_losses(truths, predictions, 0.3).tolist() == expected.tolist()


def test_conformance(registry: Registry) -> None:
    check_plugin("pinball", registry)
