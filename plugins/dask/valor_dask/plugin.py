"""Manifest of the engine on a Dask cluster."""

from __future__ import annotations

from valor_core.specs import EngineSpec, hookimpl


@hookimpl
def valor_engines() -> tuple[EngineSpec, ...]:
    """Declare the engine."""
    return (
        EngineSpec(
            name="dask.dask",
            summary="A Dask cluster: one that runs already, or one on this machine",
            parameters="valor_dask.parameters:DaskParameters",
            implementation="valor_dask.engine:DaskEngine",
        ),
    )
