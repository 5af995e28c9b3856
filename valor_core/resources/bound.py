"""Bound resources: what metrics ask for besides data, with its parameters, not open yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import (
    ParameterError,
    ReportError,
    ResourceError,
    did_you_mean,
    error_at,
    shown,
)
from valor_core.parameters.declaration import (
    build,
    changed_parameters,
    declared,
    parameter_values,
    relocate,
)
from valor_core.parameters.environment import FromEnvironment
from valor_core.results.json_values import as_json
from valor_core.specs.names import fold, in_config
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, ResourceKindSpec, ResourceSpec, Spec

Facts = Mapping[str, Mapping[str, Any]]
"""What resources tell of themselves, by resource: numbers that add up, and texts."""


WARNINGS = "warnings"
"""The fact that stands among a report's warnings, each with the name of its resource."""


def read_usage(name: str, tell: Callable[[], Any]) -> dict[str, Any]:
    """What a resource tells of itself, checked.

    Parameters
    ----------
    name : str
        What errors call it.
    tell : callable
        Its method ``facts``.

    Raises
    ------
    ResourceError
        If it raises, or what it tells is no table of numbers and texts.

    Examples
    --------
    >>> read_usage("judge", lambda: {"calls": 3, "model": "m1"})
    {'calls': 3, 'model': 'm1'}
    """
    try:
        facts = tell()
        told = as_json(facts, f"{name}: facts")
    except ReportError as error:
        raise ResourceError(error.message) from error
    except Exception as error:
        raise ResourceError(
            f"{name}: facts cannot be told, {type(error).__name__}: {error}"
        ) from error
    kinds = (bool, int, float, str, list)
    if not isinstance(told, dict) or not all(isinstance(one, kinds) for one in told.values()):
        raise ResourceError(
            f"{name}: facts must be a table of numbers and texts, got {shown(facts)}"
        )
    listed = told.get(WARNINGS, [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ResourceError(f"{name}: warnings must be a list of texts, got {shown(listed)}")
    return told


def sum_usage(openings: Iterable[Facts]) -> dict[str, dict[str, Any]]:
    """Facts of all openings together: numbers added up, texts each once, warnings left out.

    Examples
    --------
    >>> one = {"judge": {"calls": 2, "model": "m1"}}
    >>> sum_usage([one, {"judge": {"calls": 3, "model": "m1"}}])
    {'judge': {'calls': 5, 'model': 'm1'}}
    """
    total: dict[str, dict[str, Any]] = {}
    for facts in openings:
        for name, told in facts.items():
            own = total.setdefault(name, {})
            for key, value in told.items():
                if key != WARNINGS:
                    own[key] = _together(own[key], value) if key in own else value
    return {name: dict(sorted(total[name].items())) for name in sorted(total)}


def usage_warnings(openings: Iterable[Facts]) -> list[str]:
    """What the resources of all openings warn of, each once.

    Examples
    --------
    >>> told = {"judge": {"calls": 2, "warnings": ["the model is a draft"]}}
    >>> usage_warnings([told, told])
    ['judge: the model is a draft']
    """
    lines = {
        f"{name}: {warning}": None
        for facts in openings
        for name, told in facts.items()
        for warning in told.get(WARNINGS, ())
    }
    return sorted(lines)


def _together(one: Any, other: Any) -> Any:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one + other
    several = [*(one if isinstance(one, list) else [one])]
    several += other if isinstance(other, list) else [other]
    distinct = sorted(set(map(str, several)))
    return distinct[0] if len(distinct) == 1 else distinct


_IN_A_FILE = (type(None), bool, int, float, str, list, tuple, Mapping)  # what a config can say


@frozen(repr=False)
class BoundKind:
    """What a resource is made with, such as the client of a judge, not made yet."""

    spec: ResourceKindSpec
    parameters: Any

    def describe(self) -> dict[str, Any]:
        """The kind as a config has it."""
        return {"name": self.spec.name} | parameter_values(self.parameters)

    def identity(self, folder: Path | None = None) -> dict[str, Any]:
        """What of it can change a number; relative paths are relative to a folder."""
        return {"name": self.spec.name} | _identifying(self.spec, self.parameters, folder)


@frozen(repr=False)
class ProvidedClient:
    """What a resource is made with where that was handed over; it is not closed."""

    made: Any

    def describe(self) -> dict[str, Any]:
        """Its class, and what it tells of itself."""
        tell = getattr(self.made, "identity", dict)
        name = f"{type(self.made).__module__}.{type(self.made).__qualname__}"
        return {"given": name} | read_usage(f"{name}: identity", tell)

    def identity(self, folder: Path | None = None) -> dict[str, Any]:
        """What of it can change a number."""
        return self.describe()


@frozen(repr=False)
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
    kinds : tuple of BoundKind or ProvidedClient
        What it is made with, where it has kinds; often one.
    folder : Path, optional
        What relative paths in the parameters are relative to.
    """

    spec: ResourceSpec
    parameters: Any
    instance: str = ""
    names: tuple[str, ...] = ()
    kinds: tuple[BoundKind | ProvidedClient, ...] = ()
    folder: Path | None = None

    @property
    def name(self) -> str:
        """What reports and errors call it: its section, and which of several it is."""
        return open_as(self.spec.short_name, self.instance)

    @property
    def specs(self) -> tuple[Spec, ...]:
        """Its declaration and those of its kinds."""
        kinds = (kind.spec for kind in self.kinds if isinstance(kind, BoundKind))
        return (self.spec, *kinds)

    @property
    def located(self) -> Any:
        """The parameters, with paths from the folder of the config."""
        return located(self.parameters, self.folder)

    def describe(self) -> dict[str, Any]:
        """The resource as a config section."""
        told = parameter_values(self.parameters)
        if self.kinds and self.spec.kinds is not None:
            told[self.spec.kinds] = _one_or_all([kind.describe() for kind in self.kinds])
        return told

    def identity(self) -> dict[str, Any]:
        """What of it can change a number."""
        told = {"resource": self.spec.name} | _identifying(self.spec, self.parameters, self.folder)
        if self.kinds:
            told["kind"] = _one_or_all([kind.identity(self.folder) for kind in self.kinds])
        return told

    def completed(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """A saved identity with the parameters that were declared since, at their defaults."""
        mine = self.identity()
        filled = with_later_defaults(saved, mine, self.parameters)
        there = saved.get("kind")
        saved_kinds = there if isinstance(there, list) else [there]
        if len(saved_kinds) == len(self.kinds):
            filled["kind"] = _one_or_all(
                [
                    with_later_defaults(kind_there, kind.identity(self.folder), kind.parameters)
                    if isinstance(kind, BoundKind) and isinstance(kind_there, Mapping)
                    else kind_there
                    for kind, kind_there in zip(self.kinds, saved_kinds, strict=True)
                ]
            )
        return filled


def with_later_defaults(
    saved: Mapping[str, Any], mine: Mapping[str, Any], parameters: Any
) -> dict[str, Any]:
    """A saved identity with the parameters that were declared since, at their defaults.

    A default stands for the numbers from before the parameter existed: where a number changes,
    the version of the metric is raised, which its name contains.
    """
    changed = changed_parameters(parameters)
    cls: type = type(parameters)
    return {
        own.name: mine[own.name]
        for own in declared(cls)
        if own.name in mine and own.name not in changed
    } | dict(saved)


def _one_or_all(kinds: list[dict[str, Any]]) -> Any:
    """Kinds as a config has them: one by itself, several in a list."""
    return kinds[0] if len(kinds) == 1 else kinds


def _identifying(
    spec: ResourceSpec | ResourceKindSpec, parameters: Any, folder: Path | None
) -> dict[str, Any]:
    """The identifying parameters; a file counts by its content besides its path."""
    told = with_digests(parameters)
    found = located(parameters, folder)
    for parameter in declared(spec.parameter_class):
        if parameter.kind.has_paths:
            contents = _contents(getattr(found, parameter.name))
            told[parameter.name] = [told[parameter.name], contents]
    if spec.identity is None:
        return told
    # A property counts where it has a value: states that were saved before do not have it.
    further = {name: getattr(parameters, name) for name in spec.identity if name not in told}
    return {name: told[name] for name in spec.identity if name in told} | {
        name: value for name, value in further.items() if value
    }


def with_digests(parameters: Any) -> dict[str, Any]:
    """Parameters as JSON types; what the environment filled in with a digest of the text.

    A report holds the reference alone, since the text may be a secret. What tells two requests
    apart has to know whether it was the same.
    """
    return {
        name: _digested(getattr(parameters, name), told)
        for name, told in parameter_values(parameters).items()
    }


def _digested(value: Any, told: Any) -> Any:
    """What `parameter_values` tells of a value, with a digest of what the environment filled in."""
    if isinstance(value, FromEnvironment):
        return [told, _digest(str(value).encode()).hexdigest()]
    if isinstance(value, Mapping):
        return {key: _digested(one, told[key]) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_digested(one, as_told) for one, as_told in zip(value, told, strict=True)]
    return told


def _contents(value: Any) -> Any:
    """Digests of the files in a value; nothing of what is no path or cannot be read."""
    if isinstance(value, Path):
        from hashlib import file_digest

        try:
            with value.open("rb") as file:
                return file_digest(file, _digest).hexdigest()
        except OSError:
            return None
    if isinstance(value, Mapping):
        return {key: _contents(one) for key, one in value.items()}
    return [_contents(one) for one in value] if isinstance(value, tuple) else None


def _digest(content: bytes = b"") -> Any:
    from hashlib import blake2b  # loads OpenSSL, 3 ms that few runs need

    return blake2b(content, digest_size=8)


def open_as(name: str, instance: str) -> str:
    """The name under which a resource is open, for what a metric calls it.

    Examples
    --------
    >>> open_as("judge", ""), open_as("judge", "strict")
    ('judge', 'judge:strict')
    """
    return f"{name}:{instance}" if instance else name


def bind_resources(
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
    metrics = list(metrics)
    asked: dict[tuple[str, str], tuple[ResourceSpec, dict[str, None]]] = {}
    for metric, named in metrics:
        for name in metric.resources:
            spec = registry.find(ResourceSpec, name, metric.namespace)
            _check_alone(spec, (other for other, _ in asked.values()), place)
            instance = named.get(spec.short_name, "")
            _check_named(metric, spec, instance, _several(spec, sections), place)
            names = asked.setdefault((spec.name, instance), (spec, {}))[1]
            names[open_as(name, instance)] = None
    known = {spec.short_name for spec, _ in asked.values()}
    _check_sections(sections, known, [metric for metric, _ in metrics], place)
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
    kinds = _kinds(spec, section, registry, place)
    parameters: Any = build(spec.parameter_class, section, place)
    return BoundResource(spec, parameters, instance, names, kinds, folder)


def _kinds(
    spec: ResourceSpec, section: dict[str, Any], registry: Registry, place: str
) -> tuple[BoundKind | ProvidedClient, ...]:
    """The kinds that a section names; they are taken out of the section."""
    if spec.kinds is None:
        return ()
    chosen, place = section.pop(spec.kinds, None), f"{place}{spec.kinds}"
    if not (spec.several_kinds and isinstance(chosen, (list, tuple)) and chosen):
        return (_kind(spec, chosen, registry, place, section),)
    each = enumerate(chosen)
    return tuple(_kind(spec, one, registry, f"{place}[{number}]", {}) for number, one in each)


def _kind(
    spec: ResourceSpec, chosen: Any, registry: Registry, place: str, section: Mapping[str, Any]
) -> BoundKind | ProvidedClient:
    if not isinstance(chosen, _IN_A_FILE):
        return ProvidedClient(chosen)
    values = {"name": chosen} if isinstance(chosen, str) else chosen
    if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
        there = [one for one in registry.all(ResourceKindSpec) if one.resource == spec.name]
        listed = ", or a list of these" if spec.several_kinds else ""
        raise ResourceError(
            f"{place}: expected a name or a table with a name{listed}, "
            f"got {'none' if chosen is None else shown(chosen)}",
            f"Name one of: {', '.join(one.short_name for one in there) or 'none is installed'}.",
        )
    with error_at(f"{place}: "):
        kind = registry.resource_kind(values["name"], spec)
    given = {key: value for key, value in values.items() if key != "name"}
    own = {one.name for one in declared(spec.parameter_class)}
    needed = [one.name for one in declared(kind.parameter_class)]
    beside = {key: section[key] for key in section if key in needed and key not in own}
    if beside:
        raise ParameterError(
            f"{next(iter(beside))}: unknown key, {kind.short_name} has a parameter of this name",
            _nested(spec, kind, beside | given),
            place.removesuffix(spec.kinds or ""),
        )
    try:
        return BoundKind(kind, build(kind.parameter_class, given, f"{place}."))
    except ParameterError as error:
        raise ParameterError(
            error.sentence,
            (_nested(spec, kind, given) if error.sentence.endswith("found none") else error.remedy)
            or f"See its parameters with: valor show {kind.name}",
            f"{place}.",
        ) from None


def _nested(spec: ResourceSpec, kind: ResourceKindSpec, given: Mapping[str, Any]) -> str:
    """Remedy line with the section of a resource, the parameters of its kind within it."""
    missing = [
        f"{one.name}: {one.name.upper()}"
        for one in declared(kind.parameter_class)
        if one.required and one.name not in given
    ]
    parts = ", ".join(filter(None, (f"name: {kind.short_name}", in_config(given), *missing)))
    return f"Write it as: {spec.short_name}: {{{spec.kinds}: {{{parts}}}}}"


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


def _check_sections(
    sections: Mapping[str, Any], known: set[str], metrics: Iterable[MetricSpec], place: str
) -> None:
    for section, values in sections.items():
        if section not in known:
            raise ResourceError(
                f"{place}{section}: no chosen metric asks for a resource of this name",
                _of_a_metric(section, values, metrics)
                or did_you_mean(section, known)
                or f"Resources asked for: {', '.join(sorted(known)) or 'none'}.",
            )


def _of_a_metric(section: str, values: Any, metrics: Iterable[MetricSpec]) -> str | None:
    """The remedy for parameters of a metric under its name."""
    names = {fold(name) for one in metrics for name in (one.name, one.short_name, *one.aliases)}
    if fold(section) not in names:
        return None
    return f"Write them under metrics: {{name: {section}, {in_config(values)}}}"


def _check_alone(spec: ResourceSpec, bound: Iterable[ResourceSpec], place: str) -> None:
    """Metrics of two plugins may ask for resources that share a section and are not the same."""
    for other in bound:
        if other.short_name == spec.short_name and other != spec:
            raise ResourceError(
                f"{place}{spec.short_name}: expected one resource of this name, the metrics ask "
                f"for {other.name} and {spec.name}",
                "Evaluate their metrics in runs of their own.",
            )


def located(parameters: Any, folder: Path | None) -> Any:
    """Parameters with relative paths from a folder, if there is one."""
    return parameters if folder is None else relocate(parameters, lambda path: folder / path)
