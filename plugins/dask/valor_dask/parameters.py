"""Parameters of the engine on a Dask cluster."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class DaskParameters:
    """Parameters of the engine on a Dask cluster."""

    scheduler: str | None = parameter(
        default=None,
        help="Address of a scheduler that runs already, such as tcp://host:8786; null starts a "
        "cluster on this machine and stops it at the end.",
        non_empty=True,
    )
    workers: int | None = parameter(
        default=None,
        help="Processes of the cluster on this machine; null is one for each core.",
        check=Within(1),
    )
    retries: int | None = parameter(
        default=None,
        help="How often a partition is counted again after its worker died, on the cluster on "
        "this machine; null is 3. A running scheduler has a setting of its own, allowed-failures.",
        check=Within(0),
    )
    missing: Literal["stop", "report"] = parameter(
        default="stop",
        help="Whether a partition that cannot be counted stops the run, or the report names it "
        "as missing.",
    )
