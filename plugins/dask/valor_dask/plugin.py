"""Manifest of the Dask engine."""

from __future__ import annotations

from valor_core.specs import EngineSpec, hookimpl


@hookimpl
def valor_engines() -> tuple[EngineSpec, ...]:
    """Declare the engine."""
    return (
        EngineSpec(
            name="dask.dask",
            summary="A running Dask cluster, or a local one",
            parameters="valor_dask.parameters:DaskParameters",
            implementation="valor_dask.engine:DaskEngine",
        ),
    )
