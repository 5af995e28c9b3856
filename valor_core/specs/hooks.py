"""The hooks that a plugin's manifest module implements."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from valor_core.specs.spec import (
    ArraysSpec,
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    ResourceKindSpec,
    ResourceSpec,
    TaskSpec,
)

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


@hookspec
def valor_resource_kinds() -> Iterable[ResourceKindSpec]:  # type: ignore[empty-body]
    """Declare kinds of resources, such as the clients of a judge; of this plugin or another."""


@hookspec
def valor_galleries() -> Iterable[GallerySpec]:  # type: ignore[empty-body]
    """Declare the galleries of the plugin's namespace."""


@hookspec
def valor_engines() -> Iterable[EngineSpec]:  # type: ignore[empty-body]
    """Declare the engines of the plugin's namespace."""


@hookspec
def valor_tasks() -> Iterable[TaskSpec]:  # type: ignore[empty-body]
    """Declare the tasks of the plugin's namespace."""


@hookspec
def valor_commands() -> Iterable[CommandSpec]:  # type: ignore[empty-body]
    """Declare the commands that the plugin adds to ``valor``."""


@hookspec
def valor_arrays() -> Iterable[ArraysSpec]:  # type: ignore[empty-body]
    """Declare how arrays and items become batches of the task that the plugin is called like."""


@hookspec
def valor_kernels() -> str:  # type: ignore[empty-body]
    """Say where the family's compiled `Kernels` stand, ``"package.kernels:KERNELS"``."""
