"""Hooks that a manifest module can implement."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from valor_core.specs.spec import (
    ArraysSpec,
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ProtocolSpec,
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
    """Declare kinds of any plugin's resources, such as clients of a judge."""


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
    """Declare how arrays and items become batches of the task with the plugin's name."""


@hookspec
def valor_protocols() -> Iterable[ProtocolSpec]:  # type: ignore[empty-body]
    """Declare benchmark protocols of detection."""


@hookspec
def valor_kernels() -> str:  # type: ignore[empty-body]
    """Return the import string of the compiled `Kernels`, ``"package.kernels:KERNELS"``."""
