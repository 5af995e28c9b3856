"""The hooks that a plugin's manifest module implements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from valor_core.spec import MetricSpec, ReaderSpec, ResourceSpec

PROJECT = "valor"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def valor_metrics() -> Iterable[MetricSpec]:  # type: ignore[empty-body]
    """Declare the metrics of the plugin's namespace."""


@hookspec
def valor_readers() -> Iterable[ReaderSpec]:  # type: ignore[empty-body]
    """Declare the readers of the plugin's namespace."""


@hookspec
def valor_resources() -> Iterable[ResourceSpec]:  # type: ignore[empty-body]
    """Declare the resources of the plugin's namespace."""
