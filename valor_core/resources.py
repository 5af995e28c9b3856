"""Resources: what metrics need besides data, opened once per process and closed at the end."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from attrs import define, field, frozen

from valor_core.config.environment import fill_in
from valor_core.errors import (
    ResourceError,
    ValorError,
    ValorWarning,
    did_you_mean,
    found_at,
    shown,
)
from valor_core.parameters import FromEnvironment, build, declared, plain, relocate
from valor_core.registry import Registry, implementation
from valor_core.resource_facts import Facts, told_by
from valor_core.spec import MetricSpec, ResourceKindSpec, ResourceSpec

if TYPE_CHECKING:
    import asyncio

Number = TypeVar("Number", int, float)


@frozen
class Share:
    """Which part of a budget a worker has, of all workers of a run.

    Parameters
    ----------
    number : int
        Which worker it is, from 0; one from `of` on came in place of a lost one, whose part
        counts as used up.
    of : int
        How many workers there are.

    Examples
    --------
    >>> [Share(number, 3).part(50) for number in range(4)]
    [17, 17, 16, 0]
    >>> [Share(number, 2).part(0.5) for number in range(3)]
    [0.25, 0.25, 0.0]
    """

    number: int = 0
    of: int = 1

    def part(self, whole: Number) -> Number:
        """Its part of a number; parts of a whole number are whole."""
        if self.number >= self.of:
            return 0 * whole
        if isinstance(whole, int):
            return whole // self.of + (self.number < whole % self.of)
        return whole / self.of


ALONE = Share()

_IN_A_FILE = (type(None), bool, int, float, str, list, tuple, Mapping)  # what a config can say


@frozen
class BoundKind:
    """What a resource is made with, such as the client of a judge, not made yet."""

    spec: ResourceKindSpec
    parameters: Any


@frozen
class BoundResource:
    """A resource with its parameters, not open yet.

    Parameters
    ----------
    spec : ResourceSpec
        Its declaration.
    parameters : object
        An instance of its parameter class.
    instance : str
        Its name among several of the kind; empty where there is one.
    names : tuple of str
        What metrics call it.
    kind : BoundKind, optional
        What it is made with, where it has kinds.
    folder : Path, optional
        What relative paths in the parameters are relative to.
    given : object, optional
        What it is made with where that was handed over: it is used as it is, and not closed.
    """

    spec: ResourceSpec
    parameters: Any
    instance: str = ""
    names: tuple[str, ...] = ()
    kind: BoundKind | None = None
    folder: Path | None = None
    given: Any = None

    @property
    def name(self) -> str:
        """What reports and errors call it: its section, and which of several it is."""
        return open_as(self.spec.short_name, self.instance)

    @property
    def located(self) -> Any:
        """The parameters, with paths from the folder of the config."""
        return _located(self.parameters, self.folder)

    def describe(self) -> dict[str, Any]:
        """The resource as a config section."""
        told = plain(self.parameters)
        if self.kind is not None and self.spec.kinds is not None:
            told[self.spec.kinds] = {"name": self.kind.spec.name} | plain(self.kind.parameters)
        elif self.given is not None and self.spec.kinds is not None:
            told[self.spec.kinds] = _given(self.given)
        return told

    def identity(self) -> dict[str, Any]:
        """What of it can change a number."""
        told = {"resource": self.spec.name} | _identifying(self.spec, self.parameters)
        if self.kind is not None:
            own = _identifying(self.kind.spec, self.kind.parameters)
            told["kind"] = {"name": self.kind.spec.name} | own
        elif self.given is not None:
            told["kind"] = _given(self.given)
        return told


def _given(one: Any) -> dict[str, Any]:
    """What is told of an object that was handed over: its class, and what it tells itself."""
    tell = getattr(one, "identity", dict)
    name = f"{type(one).__module__}.{type(one).__qualname__}"
    return {"given": name} | told_by(f"{name}: identity", tell)


def _identifying(spec: ResourceSpec | ResourceKindSpec, parameters: Any) -> dict[str, Any]:
    told = with_digests(parameters)
    return told if spec.identity is None else {name: told[name] for name in spec.identity}


def with_digests(parameters: Any) -> dict[str, Any]:
    """Parameters as JSON types; what the environment filled in with a digest of the text.

    A report holds the reference alone, since the text may be a secret. What tells two requests
    apart has to know whether it was the same.
    """
    return {
        name: _digested(getattr(parameters, name), told) for name, told in plain(parameters).items()
    }


def _digested(value: Any, told: Any) -> Any:
    """What `plain` tells of a value, with digests where the environment filled something in."""
    if isinstance(value, FromEnvironment):
        return [told, hashlib.blake2b(str(value).encode(), digest_size=8).hexdigest()]
    if isinstance(value, Mapping):
        return {key: _digested(one, told[key]) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_digested(one, as_told) for one, as_told in zip(value, told, strict=True)]
    return told


def open_as(name: str, instance: str) -> str:
    """The name under which a resource is open, for what a metric calls it.

    Examples
    --------
    >>> open_as("judge", ""), open_as("judge", "strict")
    ('judge', 'judge:strict')
    """
    return f"{name}:{instance}" if instance else name


def bind(
    metrics: Iterable[tuple[MetricSpec, Mapping[str, str]]],
    sections: Mapping[str, Any],
    registry: Registry,
    folder: Path | None = None,
    place: str = "",
) -> tuple[BoundResource, ...]:
    """The resources that some metrics ask for, with the parameters that the config gives.

    Parameters
    ----------
    metrics : iterable of (MetricSpec, mapping of str to str)
        The metrics, each with the names that it chose where a section has several.
    sections : mapping of str to mapping
        Config sections by name of resource: its parameters, or a table of such tables by name
        where there are several of a kind.
    registry : Registry
        Where resources are declared.
    folder : Path, optional
        What relative paths in the sections are relative to.
    place : str
        Where the sections stand, for errors: ``"config.yaml: "``.

    Raises
    ------
    ResourceError
        If a section belongs to no resource that the metrics ask for, or to two, or a metric does
        not say which of several it means.
    """
    asked: dict[tuple[str, str], tuple[ResourceSpec, dict[str, None]]] = {}
    for metric, named in metrics:
        for name in metric.resources:
            spec = registry.find(ResourceSpec, name, metric.namespace)
            _check_alone(spec, (other for other, _ in asked.values()), place)
            instance = named.get(spec.short_name, "")
            _check_named(metric, spec, instance, _several(spec, sections), place)
            names = asked.setdefault((spec.name, instance), (spec, {}))[1]
            names[open_as(name, instance)] = None
    _check_sections(sections, {spec.short_name for spec, _ in asked.values()}, place)
    return tuple(
        _bound(spec, instance, tuple(names), sections, registry, folder, place)
        for (_, instance), (spec, names) in asked.items()
    )


def _bound(
    spec: ResourceSpec,
    instance: str,
    names: tuple[str, ...],
    sections: Mapping[str, Any],
    registry: Registry,
    folder: Path | None,
    place: str,
) -> BoundResource:
    section = dict(sections.get(spec.short_name, {}))
    place = f"{place}{spec.short_name}."
    if instance:
        section, place = dict(section[instance]), f"{place}{instance}."
    given = _handed_over(spec, section)
    kind = None if given is not None else _kind(spec, section, registry, place)
    parameters: Any = build(spec.parameter_class, section, place)
    return BoundResource(spec, parameters, instance, names, kind, folder, given)


def _handed_over(spec: ResourceSpec, section: dict[str, Any]) -> Any:
    """The object that stands in the place of a kind's name; it is taken out of the section."""
    if spec.kinds is None or isinstance(section.get(spec.kinds), _IN_A_FILE):
        return None
    return section.pop(spec.kinds)


def _kind(
    spec: ResourceSpec, section: dict[str, Any], registry: Registry, place: str
) -> BoundKind | None:
    """The kind that a section names; it is taken out of the section."""
    if spec.kinds is None:
        return None
    chosen = section.pop(spec.kinds, None)
    values = {"name": chosen} if isinstance(chosen, str) else chosen
    if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
        there = [one for one in registry.all(ResourceKindSpec) if one.resource == spec.name]
        raise ResourceError(
            f"{place}{spec.kinds}: expected a name or a table with a name, got {shown(chosen)}",
            f"Name one of: {', '.join(one.short_name for one in there) or 'none is installed'}.",
        )
    with found_at(f"{place}{spec.kinds}: "):
        kind = registry.resource_kind(values["name"], spec)
    given = {key: value for key, value in values.items() if key != "name"}
    return BoundKind(kind, build(kind.parameter_class, given, f"{place}{spec.kinds}."))


def _several(spec: ResourceSpec, sections: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the instances in a section that holds a table of tables."""
    section = sections.get(spec.short_name, {})
    own = {*(one.name for one in declared(spec.parameter_class)), spec.kinds}
    several = section and all(
        key not in own and isinstance(value, Mapping) for key, value in section.items()
    )
    return tuple(section) if several else ()


def _check_named(
    metric: MetricSpec, spec: ResourceSpec, instance: str, several: Sequence[str], place: str
) -> None:
    if instance in several or not (instance or several):
        return
    if not several:
        raise ResourceError(
            f"{place}{metric.name}: {spec.short_name} names {instance!r}, there are not several",
            f"Write the sections as: {spec.short_name}: {{{instance}: {{…}}, other: {{…}}}}",
        )
    found = f"got {instance!r}" if instance else "none is named"
    raise ResourceError(
        f"{place}{metric.name}: expected {spec.short_name} to be one of {', '.join(several)}, "
        f"{found}",
        f"Write it as: {{name: {metric.name}, {spec.short_name}: {several[0]}}}",
    )


def _check_sections(sections: Mapping[str, Any], known: set[str], place: str) -> None:
    for section in sections:
        if section not in known:
            raise ResourceError(
                f"{place}{section}: no chosen metric asks for a resource of this name",
                did_you_mean(section, known)
                or f"Resources asked for: {', '.join(sorted(known)) or 'none'}.",
            )


def _check_alone(spec: ResourceSpec, bound: Iterable[ResourceSpec], place: str) -> None:
    """Metrics of two plugins may ask for resources that share a section and are not the same."""
    for other in bound:
        if other.short_name == spec.short_name and other != spec:
            raise ResourceError(
                f"{place}{spec.short_name}: expected one resource of this name, the metrics ask "
                f"for {other.name} and {spec.name}",
                "Evaluate their metrics in runs of their own.",
            )


@define(eq=False)
class OpenResources(Mapping[str, Any]):
    """Opened resources, by the names that metrics use.

    An opened resource is any object. If it has them, these are used: ``width``, how many items
    may be under way with it; ``stop``, why it answers no more, or None; ``facts()``, a table of
    numbers and texts for the report, and under ``warnings`` a list of what to beware of;
    ``close()``.
    """

    _open: Mapping[str, tuple[BoundResource, Any]]
    _limits: dict[int, asyncio.Semaphore] | None = field(default=None, init=False)
    _opening: str = field(factory=lambda: uuid4().hex, init=False)
    _asked: Iterator[int] = field(factory=count, init=False)

    def __getitem__(self, name: str) -> Any:
        return self._open[name][1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def limits(self, names: Sequence[str]) -> Sequence[asyncio.Semaphore]:
        """One for each resource that has a width; in one order for all, so that none waits in vain.

        They are the process's: whoever counts on another thread waits for the same ones.
        """
        if self._limits is None:
            self._limits = self._new_limits()
        wanted = {id(self[name]) for name in names}
        return [limit for key, limit in self._limits.items() if key in wanted]

    def _new_limits(self) -> dict[int, asyncio.Semaphore]:
        from asyncio import Semaphore

        limits = {}
        for bound, instance in self._open.values():
            width = getattr(instance, "width", None)
            if width is None or id(instance) in limits:
                continue
            if not isinstance(width, int) or width < 1:
                expected = f"{bound.name}: width must be a whole number of at least 1"
                raise ResourceError(f"{expected}, got {shown(width)}")
            limits[id(instance)] = Semaphore(width)
        return limits

    def identity(self, name: str) -> Mapping[str, Any]:
        """What of a resource can change a number."""
        return self._open[name][0].identity()

    def facts(self) -> dict[str, tuple[int, Facts]]:
        """What the resources tell of themselves so far, under a name of this opening."""
        told: dict[str, Any] = {}
        for bound, instance in self._open.values():
            if hasattr(instance, "facts"):
                told[bound.name] = told_by(bound.name, instance.facts)
        return {self._opening: (next(self._asked), told)} if told else {}


@contextmanager
def opened(resources: Iterable[BoundResource], share: Share = ALONE) -> Iterator[OpenResources]:
    """The resources, open; closed when the block ends.

    Parameters
    ----------
    resources : iterable of BoundResource
        What to open.
    share : Share
        Which part of their budgets this worker has.

    Raises
    ------
    ResourceError
        If one cannot be opened; those opened before it are closed.
    """
    with ExitStack() as stack:
        found: dict[str, tuple[BoundResource, Any]] = {}
        for resource in resources:
            instance = _open(resource, share, stack)
            found |= dict.fromkeys(resource.names, (resource, instance))
        yield OpenResources(found)


def _open(resource: BoundResource, share: Share, stack: ExitStack) -> Any:
    spec = resource.spec
    try:
        made: dict[str, Any] = {}
        if resource.given is not None and spec.kinds is not None:
            made[spec.kinds] = resource.given
        if resource.kind is not None and spec.kinds is not None:
            kind = resource.kind
            values = _filled_in(kind.parameters, kind.spec, f"{resource.name}.{spec.kinds}")
            made[spec.kinds] = implementation(kind.spec)(_located(values, resource.folder))
            _close_later(made[spec.kinds], stack)
        parameters = _filled_in(resource.parameters, spec, resource.name, share)
        instance = implementation(spec)(_located(parameters, resource.folder), **made)
        _close_later(instance, stack)
        return instance
    except ValorError:
        raise
    except Exception as error:
        raise ResourceError(
            f"{spec.name}: cannot be opened, {type(error).__name__}: {error}"
        ) from error


def _filled_in(
    parameters: Any, spec: ResourceSpec | ResourceKindSpec, name: str, share: Share = ALONE
) -> Any:
    """Parameters with what the environment has, and this worker's part of a budget."""
    # A saved state names environment variables; they are looked up where the resource is opened.
    values = fill_in(plain(parameters), name)
    filled: Any = build(spec.parameter_class, values, f"{name}.")
    for divided in spec.divided if isinstance(spec, ResourceSpec) else ():
        whole = getattr(filled, divided)
        if whole is not None and share != ALONE:
            # Not checked again: a part may be 0 where a whole must be more.
            object.__setattr__(filled, divided, share.part(whole))
    return filled


def _located(parameters: Any, folder: Path | None) -> Any:
    return parameters if folder is None else relocate(parameters, lambda path: folder / path)


def _close_later(instance: Any, stack: ExitStack) -> None:
    close = getattr(instance, "close", None)
    if close is not None:
        stack.callback(_close, type(instance).__name__, close)


def _close(name: str, close: Callable[[], object]) -> None:
    try:
        close()
    except Exception as error:  # what was counted with it is not lost for that
        told = f"{name} could not be closed, {type(error).__name__}: {error}"
        warnings.warn(told, ValorWarning, stacklevel=2)
