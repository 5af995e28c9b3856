"""Parameters of the metric, the judge and its client."""

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters


@parameters
class Grade:
    """Parameters of Grade."""

    calls: int = parameter(default=2, help="How often the judge is asked.", check=Within(1))


@parameters
class Judge:
    """Parameters of the judge."""

    model: str = parameter(default="m1", help="Name of the model.")
    budget: int | None = parameter(default=None, help="Most calls.", check=Within(1))
    width: int | None = parameter(default=16, help="Items under way.", check=Within(1))
    opened: Path | None = parameter(default=None, help="File that notes each opening.")


@parameters
class Lines:
    """Parameters of the client."""

    port: int = parameter(help="Port of the server.")
