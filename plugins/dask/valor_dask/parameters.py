"""Parameters of the Dask engine."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import Within, parameter, parameters


@parameters
class DaskParameters:
    """Parameters of the Dask engine."""

    scheduler: str | None = parameter(
        default=None,
        help="Address of a running scheduler, such as tcp://host:8786; null starts a local "
        "cluster and stops it at the end.",
        non_empty=True,
    )
    workers: int | None = parameter(
        default=None,
        help="Number of processes of a local cluster; null is one per core.",
        check=Within(1),
    )
    retries: int | None = parameter(
        default=None,
        help="Number of retries of a partition whose worker died, on a local cluster; null is 3. "
        "For a running scheduler, set allowed-failures there.",
        check=Within(0),
    )
    missing: Literal["stop", "report"] = parameter(
        default="stop",
        help="What to do with failed partitions: stop the run, or report them as missing.",
    )
