"""Manifest of this plugin, which imports no implementation."""

from valor_core.scoring import ItemMetricSpec
from valor_core.specs import Range, hookimpl

from valor_pinball.parameters import LossParameters

api = 3  # plugin API of valor-core


@hookimpl
def valor_metrics() -> tuple[ItemMetricSpec, ...]:
    """Declare the metric."""
    return (
        ItemMetricSpec(
            name="pinball.PinballLoss",
            task="regression",
            summary="Mean loss of predicted quantiles",
            parameters=LossParameters,
            implementation="valor_pinball.loss:score",
            higher_is_better=False,
            range=Range(0),
            batched=True,
        ),
    )


@hookimpl
def valor_kernels() -> str:
    """Name the kernels, which `valor doctor` shows."""
    return "valor_pinball.kernels:KERNELS"
