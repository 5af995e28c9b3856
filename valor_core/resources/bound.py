"""Resources bound to parameters, not yet open."""

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
    short_repr,
)
from valor_core.parameters.declaration import (
    changed_parameters,
    parameter_values,
    parameters_from,
    parameters_of,
    relocate,
)
from valor_core.parameters.environment import FromEnvironment
from valor_core.results.json_values import as_json
from valor_core.specs.extensions import reason_of
from valor_core.specs.names import folded_name, in_config, short_name
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, ResourceKindSpec, ResourceSpec, Spec

Facts = Mapping[str, Mapping[str, Any]]
"""Facts by resource: numbers, which are summed over workers, and texts."""


WARNINGS = "warnings"
"""Key of the fact whose texts become warnings of the report."""


def read_usage(name: str, facts: Callable[[], Any]) -> dict[str, Any]:
    """Return the validated facts of a resource.

    Parameters
    ----------
    name : str
        Name for errors.
    facts : callable
        Method ``facts`` of the resource.

    Raises
    ------
    ResourceError
        If the method fails or returns anything but a table of numbers and texts.

    Examples
    --------
    >>> read_usage("judge", lambda: {"calls": 3, "model": "m1"})
    {'calls': 3, 'model': 'm1'}
    """
    try:
        returned = facts()
        checked = as_json(returned, f"{name}: facts")
    except ReportError as error:
        raise ResourceError(error.message) from error
    except Exception as error:
        raise ResourceError(f"{name}: cannot read facts, {reason_of(error)}") from error
    kinds = (bool, int, float, str, list)
    if not isinstance(checked, dict) or not all(isinstance(one, kinds) for one in checked.values()):
        raise ResourceError(
            f"{name}: facts must be a table of numbers and texts, got {short_repr(returned)}"
        )
    listed = checked.get(WARNINGS, [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ResourceError(f"{name}: warnings must be a list of texts, got {short_repr(listed)}")
    return checked


def sum_usage(openings: Iterable[Facts]) -> dict[str, dict[str, Any]]:
    """Sum the numbers and collect the distinct texts of all openings, without warnings.

    Examples
    --------
    >>> one = {"judge": {"calls": 2, "model": "m1"}}
    >>> sum_usage([one, {"judge": {"calls": 3, "model": "m1"}}])
    {'judge': {'calls': 5, 'model': 'm1'}}
    """
    total: dict[str, dict[str, Any]] = {}
    for facts in openings:
        for name, values in facts.items():
            sums = total.setdefault(name, {})
            for key, value in values.items():
                if key != WARNINGS:
                    sums[key] = _combined(sums[key], value) if key in sums else value
    return {name: dict(sorted(total[name].items())) for name in sorted(total)}


def usage_warnings(openings: Iterable[Facts]) -> list[str]:
    """Return the distinct warnings of all openings.

    Examples
    --------
    >>> facts = {"judge": {"calls": 2, "warnings": ["the model is a draft"]}}
    >>> usage_warnings([facts, facts])
    ['judge: the model is a draft']
    """
    lines = {
        f"{name}: {warning}": None
        for facts in openings
        for name, values in facts.items()
        for warning in values.get(WARNINGS, ())
    }
    return sorted(lines)


def _combined(one: Any, other: Any) -> Any:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one + other
    texts = [*(one if isinstance(one, list) else [one])]
    texts += other if isinstance(other, list) else [other]
    distinct = sorted(set(map(str, texts)))
    return distinct[0] if len(distinct) == 1 else distinct


_CONFIG_TYPES = (type(None), bool, int, float, str, list, tuple, Mapping)


@frozen(repr=False)
class BoundKind:
    """Kind of a resource with its parameters, such as the client of a judge."""

    spec: ResourceKindSpec
    parameters: Any

    def describe(self) -> dict[str, Any]:
        """Return the kind as a config section."""
        return {"name": self.spec.name} | parameter_values(self.parameters)

    def identity(self, folder: Path | None = None) -> dict[str, Any]:
        """Return the parameters that can change a number; relative paths start at the folder."""
        return {"name": self.spec.name} | _identifying(self.spec, self.parameters, folder)


@frozen(repr=False)
class ProvidedClient:
    """Client object provided by the caller, who closes it."""

    made: Any

    def describe(self) -> dict[str, Any]:
        """Return its class and the values of its method ``identity``."""
        identity = getattr(self.made, "identity", dict)
        name = f"{type(self.made).__module__}.{type(self.made).__qualname__}"
        return {"given": name} | read_usage(f"{name}: identity", identity)

    def identity(self, folder: Path | None = None) -> dict[str, Any]:
        """Return its class and the values of its method ``identity``."""
        return self.describe()


@frozen(repr=False)
class BoundResource:
    """Resource with its parameters, not yet open.

    Parameters
    ----------
    spec : ResourceSpec
        Spec of the resource.
    parameters : object
        Instance of the parameter class.
    instance : str
        Name of the instance if a section has several; otherwise empty.
    names : tuple of str
        Names by which metrics use it.
    kinds : tuple of BoundKind or ProvidedClient
        Kinds that the section selects.
    folder : Path, optional
        Base folder of relative paths in the parameters.
    """

    spec: ResourceSpec
    parameters: Any
    instance: str = ""
    names: tuple[str, ...] = ()
    kinds: tuple[BoundKind | ProvidedClient, ...] = ()
    folder: Path | None = None

    @property
    def name(self) -> str:
        """Name in reports and errors: the section and the instance, if any."""
        return open_as(self.spec.short_name, self.instance)

    @property
    def specs(self) -> tuple[Spec, ...]:
        """Specs of the resource and its kinds."""
        kinds = (kind.spec for kind in self.kinds if isinstance(kind, BoundKind))
        return (self.spec, *kinds)

    @property
    def located(self) -> Any:
        """Parameters with paths relative to the folder of the config."""
        return located(self.parameters, self.folder)

    def describe(self) -> dict[str, Any]:
        """Return the resource as a config section."""
        section = parameter_values(self.parameters)
        if self.kinds and self.spec.kinds is not None:
            section[self.spec.kinds] = _one_or_all([kind.describe() for kind in self.kinds])
        return section

    def identity(self) -> dict[str, Any]:
        """Return the parameters and kinds that can change a number."""
        values = {"resource": self.spec.name} | _identifying(
            self.spec, self.parameters, self.folder
        )
        if self.kinds:
            values["kind"] = _one_or_all([kind.identity(self.folder) for kind in self.kinds])
        return values

    def completed(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Add the defaults of parameters declared since a saved identity."""
        filled = with_later_defaults(saved, self.identity(), self.parameters)
        saved_kind = saved.get("kind")
        saved_kinds = saved_kind if isinstance(saved_kind, list) else [saved_kind]
        if len(saved_kinds) == len(self.kinds):
            filled["kind"] = _one_or_all(
                [
                    with_later_defaults(saved_one, kind.identity(self.folder), kind.parameters)
                    if isinstance(kind, BoundKind) and isinstance(saved_one, Mapping)
                    else saved_one
                    for kind, saved_one in zip(self.kinds, saved_kinds, strict=True)
                ]
            )
        return filled


def with_later_defaults(
    saved: Mapping[str, Any], current: Mapping[str, Any], parameters: Any
) -> dict[str, Any]:
    """Add the defaults of parameters declared since a saved identity.

    A default reproduces the numbers from before the parameter existed; otherwise the version in
    the name of the metric would have been incremented.
    """
    changed = changed_parameters(parameters)
    cls: type = type(parameters)
    return {
        one.name: current[one.name]
        for one in parameters_of(cls)
        if one.name in current and one.name not in changed
    } | dict(saved)


def _one_or_all(kinds: list[dict[str, Any]]) -> Any:
    """Return a single kind, or the list of several."""
    return kinds[0] if len(kinds) == 1 else kinds


def _identifying(
    spec: ResourceSpec | ResourceKindSpec, parameters: Any, folder: Path | None
) -> dict[str, Any]:
    """Return the identifying parameters, with digests of files."""
    values = with_digests(parameters)
    found = located(parameters, folder)
    for parameter in parameters_of(spec.parameter_class):
        if parameter.kind.has_paths:
            contents = _contents(getattr(found, parameter.name))
            values[parameter.name] = [values[parameter.name], contents]
    if spec.identity is None:
        return values
    # Empty properties are omitted, since states saved before the property existed lack it.
    further = {name: getattr(parameters, name) for name in spec.identity if name not in values}
    return {name: values[name] for name in spec.identity if name in values} | {
        name: value for name, value in further.items() if value
    }


def with_digests(parameters: Any) -> dict[str, Any]:
    """Return parameters as JSON values, with digests of values from the environment.

    Reports contain only the reference, since the value may be a secret. The digest shows whether
    two requests used the same value.
    """
    return {
        name: _digested(getattr(parameters, name), as_json_value)
        for name, as_json_value in parameter_values(parameters).items()
    }


def _digested(value: Any, as_json_value: Any) -> Any:
    """Return a JSON value, with digests of values from the environment."""
    if isinstance(value, FromEnvironment):
        return [as_json_value, _digest(str(value).encode()).hexdigest()]
    if isinstance(value, Mapping):
        return {key: _digested(one, as_json_value[key]) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_digested(*pair) for pair in zip(value, as_json_value, strict=True)]
    return as_json_value


def _contents(value: Any) -> Any:
    """Return digests of the files in a value; None for other values and unreadable files."""
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
    """Return the name of an open resource from the metric's name for it and the instance.

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
    """Bind the resources of metrics to the parameters in a config.

    Parameters
    ----------
    metrics : iterable of (MetricSpec, mapping of str to str)
        The metrics, each with the chosen instances of its resources.
    sections : mapping of str to mapping
        Config sections by resource: its parameters, or a table of instances by name.
    registry : Registry
        Registry of the resources.
    folder : Path, optional
        Base folder of relative paths in the sections.
    place : str
        Prefix of errors: ``"config.yaml: "``.

    Raises
    ------
    ResourceError
        If a section belongs to no resource of the metrics or to two resources, or a metric does
        not name one of several instances.
    """
    metrics = list(metrics)
    requested: dict[tuple[str, str], tuple[ResourceSpec, dict[str, None]]] = {}
    for metric, named in metrics:
        for name in metric.resources:
            spec = registry.find(ResourceSpec, name, metric.namespace)
            _check_no_conflict(spec, (other for other, _ in requested.values()), place)
            instance = named.get(spec.short_name, "")
            _check_named(metric, spec, instance, _instances(spec, sections), place)
            names = requested.setdefault((spec.name, instance), (spec, {}))[1]
            names[open_as(name, instance)] = None
    known_sections = {spec.short_name for spec, _ in requested.values()}
    _check_sections(sections, known_sections, [metric for metric, _ in metrics], registry, place)
    return tuple(
        _bound(spec, instance, tuple(names), sections, registry, folder, place)
        for (_, instance), (spec, names) in requested.items()
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
    parameters: Any = parameters_from(spec.parameter_class, section, place)
    return BoundResource(spec, parameters, instance, names, kinds, folder)


def _kinds(
    spec: ResourceSpec, section: dict[str, Any], registry: Registry, place: str
) -> tuple[BoundKind | ProvidedClient, ...]:
    """Remove the kinds from a section and bind them."""
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
    if not isinstance(chosen, _CONFIG_TYPES):
        return ProvidedClient(chosen)
    values = {"name": chosen} if isinstance(chosen, str) else chosen
    if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
        kinds = [one for one in registry.all(ResourceKindSpec) if one.resource == spec.name]
        listed = ", or a list of these" if spec.several_kinds else ""
        raise ResourceError(
            f"{place}: expected a name or a table with a name{listed}, "
            f"got {'none' if chosen is None else short_repr(chosen)}",
            _kinds_to_name(spec, kinds),
        )
    with error_at(f"{place}: "):
        kind = registry.resource_kind(values["name"], spec)
    given = {key: value for key, value in values.items() if key != "name"}
    names = {one.name for one in parameters_of(spec.parameter_class)}
    needed = [one.name for one in parameters_of(kind.parameter_class)]
    misplaced = {key: section[key] for key in section if key in needed and key not in names}
    if misplaced:
        raise ParameterError(
            f"{next(iter(misplaced))}: unknown key, {kind.short_name} has a parameter of this name",
            _nested(spec, kind, misplaced | given),
            place.removesuffix(spec.kinds or ""),
        )
    try:
        return BoundKind(kind, parameters_from(kind.parameter_class, given, f"{place}."))
    except ParameterError as error:
        raise ParameterError(
            error.sentence,
            (_nested(spec, kind, given) if error.sentence.endswith("found none") else error.remedy)
            or f"See its parameters with: valor show {kind.name}",
            f"{place}.",
        ) from None


def _kinds_to_name(spec: ResourceSpec, kinds: Sequence[ResourceKindSpec]) -> str:
    """Return a remedy with the section of one kind and the names of the others."""
    if not kinds:
        return "None is installed."
    first = max(kinds, key=lambda one: _nested(spec, one, {}).count(", "))
    others = ", ".join(one.short_name for one in kinds if one is not first)
    return _nested(spec, first, {}) + f"\nOther names are: {others}." * bool(others)


def _nested(spec: ResourceSpec, kind: ResourceKindSpec, given: Mapping[str, Any]) -> str:
    """Return a remedy with the section of a resource and the nested parameters of its kind."""
    missing = [
        f"{one.name}: {one.name.upper()}"
        for one in parameters_of(kind.parameter_class)
        if one.required and one.name not in given
    ]
    parts = ", ".join(filter(None, (f"name: {kind.short_name}", in_config(given), *missing)))
    return f"Write it as: {spec.short_name}: {{{spec.kinds}: {{{parts}}}}}"


def _instances(spec: ResourceSpec, sections: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the instances in a section, if it is a table of tables."""
    section = sections.get(spec.short_name, {})
    keys = {*(one.name for one in parameters_of(spec.parameter_class)), spec.kinds}
    has_instances = section and all(
        key not in keys and isinstance(value, Mapping) for key, value in section.items()
    )
    return tuple(section) if has_instances else ()


def _check_named(
    metric: MetricSpec, spec: ResourceSpec, instance: str, instances: Sequence[str], place: str
) -> None:
    if instance in instances or not (instance or instances):
        return
    if not instances:
        raise ResourceError(
            f"{place}{metric.name}: {spec.short_name} has no instances, got {instance!r}",
            f"Write the sections as: {spec.short_name}: {{{instance}: {{…}}, other: {{…}}}}",
        )
    found = f"got {instance!r}" if instance else "got none"
    raise ResourceError(
        f"{place}{metric.name}: expected {spec.short_name} to be one of {', '.join(instances)}, "
        f"{found}",
        f"Write it as: {{name: {metric.name}, {spec.short_name}: {instances[0]}}}",
    )


def _check_sections(
    sections: Mapping[str, Any],
    names: set[str],
    metrics: Sequence[MetricSpec],
    registry: Registry,
    place: str,
) -> None:
    for section, values in sections.items():
        if section not in names:
            raise ResourceError(
                f"{place}{section}: no chosen metric uses a resource of this name",
                _of_a_metric(section, values, metrics)
                or _of_the_argument(section, values)
                or did_you_mean(section, names)
                or _of_another_metric(section, {metric.task for metric in metrics}, registry)
                or f"Remove it{', or rename it to ' * bool(names)}{' or '.join(sorted(names))}.",
            )


def _of_another_metric(section: str, tasks: set[str], registry: Registry) -> str | None:
    """Return the remedy for a section that a metric uses which is not chosen, or None."""
    using = [one for one in registry.all(MetricSpec) if section in map(short_name, one.resources)]
    for metric in sorted(using, key=lambda one: one.task not in tasks):
        return f"Remove it, or choose a metric that uses it, such as {metric.name}."
    return None


def _of_a_metric(section: str, values: Any, metrics: Iterable[MetricSpec]) -> str | None:
    """Return the remedy for parameters of a metric in a section with its name, or None."""
    names = {
        folded_name(name) for one in metrics for name in (one.name, one.short_name, *one.aliases)
    }
    if folded_name(section) not in names:
        return None
    return f"Write them under metrics: {{name: {section}, {in_config(values)}}}"


def _of_the_argument(section: str, values: Any) -> str | None:
    """Return the remedy for the argument ``resources`` of Python written as a section."""
    if section != "resources" or not isinstance(values, Mapping):
        return None
    return f"Write its sections at the top level of the config: {in_config(values)}"


def _check_no_conflict(spec: ResourceSpec, bound: Iterable[ResourceSpec], place: str) -> None:
    """Raise an error if metrics of two plugins use different resources with one section."""
    for other in bound:
        if other.short_name == spec.short_name and other != spec:
            raise ResourceError(
                f"{place}{spec.short_name}: expected one resource of this name, the metrics use "
                f"{other.name} and {spec.name}",
                "Evaluate their metrics in separate runs.",
            )


def located(parameters: Any, folder: Path | None) -> Any:
    """Return parameters with relative paths resolved against a folder, if any."""
    return parameters if folder is None else relocate(parameters, lambda path: folder / path)
