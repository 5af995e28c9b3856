"""Resources: what metrics need besides data, opened once per process and closed at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.config.environment import fill_in
from valor_core.errors import ResourceError, ValorError, did_you_mean
from valor_core.parameters import build, plain, relocate
from valor_core.registry import Registry, implementation
from valor_core.spec import MetricSpec, ResourceSpec
from valor_core.state import Resources


@frozen
class BoundResource:
    """A resource with its parameters, not open yet.

    Parameters
    ----------
    name : str
        What metrics call it, and its section in the config.
    spec : ResourceSpec
        Its declaration.
    parameters : object
        An instance of its parameter class.
    folder : Path, optional
        What relative paths in the parameters are relative to.
    """

    name: str
    spec: ResourceSpec
    parameters: Any
    folder: Path | None = None

    def describe(self) -> dict[str, Any]:
        """The resource as a config section."""
        return plain(self.parameters)


def bind(
    metrics: Iterable[MetricSpec],
    sections: Mapping[str, Any],
    registry: Registry,
    folder: Path | None = None,
    place: str = "",
) -> tuple[BoundResource, ...]:
    """The resources that some metrics ask for, with the parameters that the config gives.

    Parameters
    ----------
    metrics : iterable of MetricSpec
        The chosen metrics.
    sections : mapping of str to mapping
        Config sections by name of resource.
    registry : Registry
        Where resources are declared.
    folder : Path, optional
        What relative paths in the sections are relative to.
    place : str
        Where the sections stand, for errors: ``"config.yaml: "``.

    Raises
    ------
    ResourceError
        If a section belongs to no resource that the metrics ask for, or to two.
    """
    bound: dict[str, BoundResource] = {}
    for metric in metrics:
        for name in metric.resources:
            spec = registry.resource(name, metric.namespace)
            _check_alone(spec, bound.values(), place)
            section = sections.get(spec.short_name, {})
            parameters: Any = build(spec.parameters, section, f"{place}{spec.short_name}.")
            bound[name] = BoundResource(name, spec, parameters, folder)
    known = {resource.spec.short_name for resource in bound.values()}
    for section in sections:
        if section not in known:
            raise ResourceError(
                f"{place}{section}: no chosen metric asks for a resource of this name",
                did_you_mean(section, known)
                or f"Resources asked for: {', '.join(sorted(known)) or 'none'}.",
            )
    return tuple(bound.values())


def _check_alone(spec: ResourceSpec, bound: Iterable[BoundResource], place: str) -> None:
    """Metrics of two plugins may ask for resources that share a section and are not the same."""
    for other in bound:
        if other.spec.short_name == spec.short_name and other.spec != spec:
            raise ResourceError(
                f"{place}{spec.short_name}: expected one resource of this name, the metrics ask "
                f"for {other.spec.name} and {spec.name}",
                "Evaluate their metrics in runs of their own.",
            )


@contextmanager
def opened(resources: Iterable[BoundResource]) -> Iterator[Resources]:
    """The resources, open; closed when the block ends.

    Raises
    ------
    ResourceError
        If one cannot be opened; those opened before it are closed.
    """
    with ExitStack() as stack:
        instances = {}
        for resource in resources:
            instances[resource.name] = instance = _open(resource)
            close = getattr(instance, "close", None)
            if close is not None:
                stack.callback(close)
        yield instances


def _open(resource: BoundResource) -> Any:
    folder, cls = resource.folder, resource.spec.parameters
    # A saved state names environment variables; they are looked up where the resource is opened.
    values = fill_in(plain(resource.parameters), resource.spec.short_name)
    parameters: Any = build(cls, values, f"{resource.spec.short_name}.")
    if folder is not None:
        parameters = relocate(parameters, lambda path: folder / path)
    try:
        return implementation(resource.spec)(parameters)
    except ValorError:
        raise
    except Exception as error:
        raise ResourceError(
            f"{resource.spec.name}: cannot be opened, {type(error).__name__}: {error}"
        ) from error
