"""Parameters of the metric."""

from valor_core.parameters import Within, parameter, parameters


@parameters
class LossParameters:
    """Parameters of PinballLoss."""

    quantile: float = parameter(
        default=0.5, help="Quantile that the predictions estimate.", check=Within(0, 1)
    )
