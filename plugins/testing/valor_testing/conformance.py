"""Conformance checks of plugins and metrics, in one call or one test per component."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import evolve

from valor_core.errors import ResourceError, ValorError
from valor_core.evaluation import BoundMetric
from valor_core.packages import import_extra
from valor_core.parameters import parameters_from
from valor_core.readers import InMemory
from valor_core.resources import opened
from valor_core.resources.bound import bind_resources
from valor_core.schemas import Batch
from valor_core.specs import (
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    Registry,
    ResourceSpec,
    Spec,
    TaskSpec,
)
from valor_core.specs.spec import import_object
from valor_core.states.state import Resources
from valor_testing import examples, input_laws, laws
from valor_testing.command_laws import COMMAND_LAWS, GALLERY_LAWS, Drawing
from valor_testing.data_set import Batches, DataSet
from valor_testing.engine_laws import check_engine
from valor_testing.law import ConformanceError, name_of, run_all
from valor_testing.manifest import Plugin, manifest_declares, manifest_is_light
from valor_testing.parameter_laws import (
    VALUE_LAWS,
    results_state_their_parameters,
    settings_have_distinct_results,
    variations,
)
from valor_testing.reader_laws import check_reader
from valor_testing.resource_laws import check_resource
from valor_testing.subject import REFUSED, Refusal, Subject

Case = tuple[str, Callable[[], None]]
"""Name of a component, and a function that raises a `ConformanceError`."""

Pluggable = str | Path | ModuleType
"""Namespace of a plugin, or the path or module of a plugin of one file."""

Data = Mapping[str, Sequence[Any]] | Sequence[Any] | None
"""Data sets by name, or the batches or items of one; None for the built-in examples."""

DataSets = Callable[[MetricSpec], Mapping[str, DataSet]]
"""Function that returns the data sets for a metric."""

Opened = Callable[[], AbstractContextManager[Resources]]


def check_metric(
    spec: MetricSpec,
    batches: Data = None,
    parameters: Any = None,
    resources: Resources | None = None,
) -> None:
    """Check all laws of a metric.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    batches : sequence of batches or items, or mapping of str to sequences, optional
        One data set, or several by name. Defaults to the examples of the metric's task, which
        cover its missing values and ties.
    parameters : mapping or instance of the metric's parameter class, optional
        Parameters of the metric. Defaults to the declared defaults.
    resources : mapping of str to object, optional
        Open resources by the names in the metric's declaration.

    Raises
    ------
    ConformanceError
        If a law is broken; lists every broken law.

    Examples
    --------
    >>> import valor_core
    >>> @valor_core.metric("mylab.Shouts", task="text")
    ... def shouts(item) -> float:
    ...     return float((item.response or "").isupper())
    >>> check_metric(shouts)
    """
    registry = Registry()
    datasets = _datasets(batches, registry)
    _check_metric(spec, datasets, parameters, lambda: nullcontext(resources or {}), registry)


def check_plugin(
    plugin: Pluggable,
    registry: Registry | None = None,
    *,
    batches: Data = None,
    parameters: Mapping[str, Any] | None = None,
    resources: Resources | None = None,
    readers: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Check all laws of a plugin and its components.

    Parameters
    ----------
    plugin : str, Path or module
        Entry-point name of the plugin, or a plugin of one file: its path, such as ``"mylab.py"``,
        or its imported module. Files are registered in the registry.
    registry : Registry, optional
        Registry used to resolve the plugin. Defaults to a new `Registry()`.
    batches : sequence of batches or items, or mapping of str to sequences, optional
        Data sets as in `check_metric`; each metric uses those of its task.
    parameters : mapping of str to parameters or list of parameters, optional
        Parameters by name, for metrics with required parameters or to check further settings, and
        for engines.
    resources : mapping of str to object, optional
        Open resources by name, such as a fake judge. Other resources are opened with their default
        parameters if they are declared as ``free``, and never otherwise.
    readers : mapping of str to mapping of str to object, optional
        Parameters of readers by name. These readers are checked as by `check_reader`. With
        ``tables.table``, a task of the plugin is checked with a table of its rows.

    Raises
    ------
    ConformanceError
        If a law is broken; lists every broken law.
    RegistryError
        If the plugin cannot be found or imported.

    Examples
    --------
    >>> check_plugin("core")
    """
    every = cases(
        plugin,
        registry,
        batches=batches,
        parameters=parameters,
        resources=resources,
        readers=readers,
    )
    run_all(check for _, check in every)


def cases(
    plugin: Pluggable,
    registry: Registry | None = None,
    *,
    batches: Data = None,
    parameters: Mapping[str, Any] | None = None,
    resources: Resources | None = None,
    readers: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[Case]:
    """Yield a check for each component of a plugin, for ``pytest.mark.parametrize``.

    A check runs all laws and names every broken one. The parameters are those of `check_plugin`.

    Yields
    ------
    name : str
        Name such as ``"mylab.ExactMatch"``, or ``"mylab.ExactMatch[1]"`` for the second of several
        parameters. The first name is the namespace, for the laws of its manifest.
    check : callable
        Function that raises a `ConformanceError` if a law is broken.

    Examples
    --------
    >>> [name for name, check in cases("core")][:2]
    ['core', 'core.local']
    """
    found = _plugin(plugin, Registry() if registry is None else registry)
    namespace, registry = found.name, found.registry
    manifest = registry.manifest(namespace)
    yield namespace, partial(_check_manifest, found)
    given = parameters or {}
    has_rows = any(task.rows is not None for task in manifest.of(TaskSpec))
    tables = [registry.find(ReaderSpec, input_laws.TABLES)] if has_rows else []
    _check_named(namespace, "reader", [*manifest.of(ReaderSpec), *tables], readers or {})
    _check_named(namespace, "metric", [*manifest.of(MetricSpec), *manifest.of(EngineSpec)], given)
    for declared in manifest.all():
        if not isinstance(declared, MetricSpec):
            yield declared.name, partial(_check_other, declared, readers or {}, given, found)
    datasets = _datasets(batches, registry)
    bound: dict[str, list[tuple[MetricSpec, Any]]] = {}
    served = [(spec, task) for spec in manifest.of(MetricSpec) for task in spec.tasks]
    for declared_spec, of_task in served:
        spec = declared_spec.for_task(of_task)
        opener = partial(_opened, [spec], resources or {}, registry)
        several = given.get(spec.name)
        several = several if isinstance(several, list) and several else [several]
        for number, values in enumerate(several):
            name = spec.name + (f"[{number}]" if len(several) > 1 else "")
            name += f"[{of_task}]" if spec.other_tasks else ""
            bound.setdefault(spec.task, []).append((spec, values))
            # One setting per changed parameter is enough for all parameters of a metric.
            others = several[1:] if number == 0 else None
            yield (
                name,
                partial(_check_metric, spec, datasets, values, opener, registry, others),
            )
    for task, chosen in bound.items():
        joint = partial(_check_together, chosen, datasets, resources or {}, registry)
        yield f"{namespace}/{name_of(laws.independent_of_other_metrics)}: {task}", joint


def _plugin(plugin: Pluggable, registry: Registry) -> Plugin:
    """Return a plugin in its registry; a file is registered as by ``modules`` in a config."""
    if isinstance(plugin, str) and not plugin.endswith(".py"):
        return Plugin(plugin, registry)
    modules = import_extra("valor_cli.config.modules", f"check_plugin: {plugin}", "valor-cli")
    file = Path(plugin) if isinstance(plugin, str) else plugin
    namespaces = modules.add_modules([file], registry)
    if len(namespaces) != 1:
        found = " and ".join(namespaces) or "none"
        name = file.__name__ if isinstance(file, ModuleType) else file.name
        raise ConformanceError(name, "manifest declares", f"expected one namespace, found {found}")
    return Plugin(namespaces[0], registry)


def _check_manifest(plugin: Plugin) -> None:
    run_all(partial(each, plugin) for each in (manifest_declares, manifest_is_light))


def _check_metric(
    spec: MetricSpec,
    datasets: DataSets,
    parameters: Any,
    opener: Opened,
    registry: Registry,
    others: Sequence[Any] | None = (),
) -> None:
    """Check the laws of a metric's declaration and, if they hold, those of its results.

    With `others`, also try other values of each parameter than these settings have.
    """

    def round_trip() -> None:
        laws.parameters_round_trip(spec, _parameters(spec, parameters))

    run_all([*_declaration_checks(spec), round_trip])
    with opener() as resources:
        subject = _subject(spec, parameters, resources, registry)
        sets = datasets(spec)
        checks = [partial(_check_law, each, subject, sets) for each in laws.METRIC_LAWS]
        run_all([*checks, partial(laws.some_data_have_results, subject, sets)])
        if others is not None:
            tried = [_parameters(spec, each) for each in others]
            run_all(_value_checks(subject, sets, tried))


def _value_checks(
    subject: Subject, sets: Mapping[str, DataSet], tried: Sequence[Any]
) -> Iterator[Callable[[], None]]:
    """Yield a check of each value of a parameter that is not checked separately."""

    def check(description: str, varied: Subject) -> None:
        def stated(varied: Subject, batches: DataSet) -> None:
            results_state_their_parameters(varied, batches, subject)

        for each in (*VALUE_LAWS, stated):
            try:
                _check_law(each, varied, sets)
            except ConformanceError as error:
                finding = f"{description}: {error.finding}"
                raise ConformanceError(error.of, error.law, finding) from error.__cause__

    for description, varied in variations(subject, tried):
        yield partial(check, description, varied)


def _declaration_checks(spec: Spec) -> list[Callable[[], None]]:
    declaration = (laws.valid_declaration, laws.code_exists, laws.parameters_are_declared)
    return [partial(each, spec) for each in declaration]


def _check_other(
    spec: Spec,
    readers: Mapping[str, Mapping[str, Any]],
    parameters: Mapping[str, Any],
    plugin: Plugin,
) -> None:
    """Check a declaration and the functions that it names.

    Readers need parameters; free resources and engines are run if they can be built.
    """
    run_all([*_declaration_checks(spec), *_code_checks(spec, readers, plugin.registry)])
    if isinstance(spec, ReaderSpec) and spec.name in readers:
        check_reader(spec, readers[spec.name], registry=plugin.registry)
    elif isinstance(spec, ResourceSpec) and spec.free and not spec.kinds and _has_defaults(spec):
        check_resource(spec, registry=plugin.registry)
    elif isinstance(spec, EngineSpec) and (spec.name in parameters or _has_defaults(spec)):
        check_engine(spec, parameters.get(spec.name))


def _code_checks(
    spec: Spec, readers: Mapping[str, Mapping[str, Any]], registry: Registry
) -> Iterator[Callable[[], None]]:
    """Yield the laws of functions that readers and tasks declare, of commands and of galleries."""
    if isinstance(spec, ReaderSpec):
        yield partial(input_laws.unknown_files_are_declined, spec)
        yield partial(input_laws.other_sides_are_declined, spec)
    elif isinstance(spec, TaskSpec):
        yield partial(input_laws.task_has_its_classes, spec)
        yield partial(input_laws.other_sides_are_declined, spec)
        if spec.rows is not None and input_laws.TABLES in readers:
            table = registry.find(ReaderSpec, input_laws.TABLES)
            given = readers[input_laws.TABLES]
            yield partial(check_reader, table, given, task=spec.short_name, registry=registry)
        else:
            found = _examples(spec.short_name, registry)
            yield partial(input_laws.rows_keep_other_columns, spec, found, registry)
    elif isinstance(spec, CommandSpec):
        yield from (partial(each, spec) for each in COMMAND_LAWS)
    elif isinstance(spec, GallerySpec):
        drawing = Drawing(spec, _examples(spec.task, registry))
        yield from (partial(each, drawing) for each in GALLERY_LAWS)


def _has_defaults(spec: Spec) -> bool:
    """Return whether no parameter is required."""
    try:
        parameters_from(spec.parameter_class, {}, "")
    except ValorError:
        return False
    return True


def _check_law(
    law: Callable[[Subject, DataSet], None], subject: Subject, datasets: Mapping[str, DataSet]
) -> None:
    """Check a law on every data set that the metric does not reject."""
    for name, batches in datasets.items():
        try:
            law(subject, batches)
        except ConformanceError as error:
            finding = f"{error.finding} (data set {name!r})"
            raise ConformanceError(error.of, error.law, finding) from error.__cause__
        except Refusal as refusal:
            if subject.expected(batches) != REFUSED:
                raise ConformanceError(
                    subject.name,
                    name_of(law),
                    f"data that are accepted as a whole are refused in part: {refusal} "
                    f"(data set {name!r})",
                ) from refusal


def _check_together(
    chosen: Sequence[tuple[MetricSpec, Any]],
    datasets: DataSets,
    given: Resources,
    registry: Registry,
) -> None:
    specs = [spec for spec, _ in chosen]
    with _opened(specs, given, registry) as resources:
        metrics = tuple(BoundMetric(spec, _parameters(spec, values)) for spec, values in chosen)
        subject = Subject(metrics, resources, registry)
        sets = datasets(specs[0])
        joint = (laws.independent_of_other_metrics, settings_have_distinct_results)
        run_all(partial(_check_law, each, subject, sets) for each in joint)


def _subject(
    spec: MetricSpec, parameters: Any, resources: Resources, registry: Registry
) -> Subject:
    missing = [name for name in spec.resources if name not in resources]
    if missing:
        raise ConformanceError(
            spec.name,
            "resources are available",
            f"it uses {missing[0]!r}; pass resources={{{missing[0]!r}: …}}",
        )
    return Subject((BoundMetric(spec, _parameters(spec, parameters)),), resources, registry)


def _parameters(spec: MetricSpec, given: Any) -> Any:
    if given is not None and isinstance(given, spec.parameter_class):
        return given
    try:
        built: Any = parameters_from(spec.parameter_class, given or {}, "")
    except ValorError as error:
        raise ConformanceError(
            spec.name,
            name_of(laws.parameters_round_trip),
            f"{error.message}; give examples where the defaults will not do: parameters=…",
        ) from error
    return built


def _datasets(given: Data, registry: Registry) -> DataSets:
    """Return a function from a metric to its data sets, cached per task."""
    of_task = cache(partial(_of_task, given=given, registry=registry))

    def of(spec: MetricSpec) -> Mapping[str, DataSet]:
        found = of_task(spec.task)
        if not found:
            raise ConformanceError(
                spec.name,
                "data",
                f"there are no examples of the task {spec.task!r}; pass batches=…",
            )
        return found

    return of


def _of_task(task: str, given: Data, registry: Registry) -> dict[str, DataSet]:
    if given is None:
        found = _examples(task, registry)
    else:
        named = given if isinstance(given, Mapping) else {"given": given}
        found = {
            name: batches
            for name, data in named.items()
            if (batches := _batches(data, task, registry)) is not None
        }
    return {name: DataSet(batches) for name, batches in found.items()}


def _examples(task: str, registry: Registry) -> dict[str, Batches]:
    """Return the example data sets of a task, built-in or declared by its plugin."""
    if found := examples.datasets(task):
        return found
    place = registry.find(TaskSpec, task).examples if registry.knows_task(task) else None
    return {} if place is None else dict(import_object(place)())


def _batches(data: Sequence[Any], task: str, registry: Registry) -> Batches | None:
    """Return the batches of one data set, or None if they belong to another task."""
    batches = [batch for batch in data if isinstance(batch, Batch)]
    if any(batch.task != task for batch in batches):
        return None
    made = type(batches[0]).of if batches else registry.batch_maker(task)
    return InMemory.of(data, made).batches


def _check_named(
    namespace: str, kind: str, specs: Sequence[Spec], given: Mapping[str, Any]
) -> None:
    names = {spec.name for spec in specs}
    for name in given:
        if name not in names:
            raise ConformanceError(namespace, "parameters", f"there is no {kind} {name!r}")


@contextmanager
def _opened(
    specs: Sequence[MetricSpec], given: Resources, registry: Registry
) -> Iterator[Resources]:
    """Open the free resources that metrics need in addition to the given ones."""
    missing = [
        evolve(spec, resources=tuple(name for name in spec.resources if name not in given))
        for spec in specs
    ]
    try:
        for spec in missing:
            for name in spec.resources:
                _check_free(registry.find(ResourceSpec, name, spec.namespace))
        wanted = bind_resources([(spec, {}) for spec in missing], {}, registry)
    except ValorError as error:
        name = next(name for spec in missing for name in spec.resources)
        raise ConformanceError(
            " and ".join(spec.name for spec in specs),
            "resources are available",
            f"{error}; pass resources={{{name!r}: …}}",
        ) from error
    with opened(wanted) as resources:
        yield {**resources, **given}


def _check_free(spec: ResourceSpec) -> None:
    """Raise a `ResourceError` unless a resource is free: the checks use it thousands of times."""
    if not spec.free:
        raise ResourceError(
            f"{spec.name}: expected a stand-in, since opening it may cost money; it is opened "
            "here only if its spec says free=True"
        )
