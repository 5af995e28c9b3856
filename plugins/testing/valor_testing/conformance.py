"""Conformance: every law on every metric of a plugin, in one call or as single cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from typing import Any

from attrs import evolve

from valor_core.errors import ResourceError, ValorError
from valor_core.evaluation.bound_metric import BoundMetric
from valor_core.evaluation.resources.bound_resource import bind_resources
from valor_core.evaluation.resources.open_resources import opened
from valor_core.metrics.state import Resources
from valor_core.parameters.declaration import build
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import (
    EngineSpec,
    MetricSpec,
    ReaderSpec,
    ResourceSpec,
    Spec,
    TaskSpec,
    by_reference,
)
from valor_core.readers.reader import InMemory
from valor_core.schemas import Batch
from valor_testing import examples, laws
from valor_testing.data_set import Batches, DataSet
from valor_testing.engine_laws import engine_cases
from valor_testing.law import ConformanceError, name_of
from valor_testing.manifest import Plugin, manifest_declares, manifest_is_light
from valor_testing.reader_laws import reader_cases
from valor_testing.resource_laws import resource_cases
from valor_testing.subject import REFUSED, Refusal, Subject

Case = tuple[str, Callable[[], None]]
"""What is checked, and a function that raises a `ConformanceError` unless it holds."""

Data = Mapping[str, Sequence[Any]] | Sequence[Any] | None
"""Data sets by name, or the batches or objects of one; None stands for the kit's examples."""

DataSets = Callable[[MetricSpec], Mapping[str, DataSet]]
"""Answers the data sets to check a metric with."""

Opened = Callable[[], AbstractContextManager[Resources]]


def check_metric(
    spec: MetricSpec,
    batches: Data = None,
    parameters: Any = None,
    resources: Resources | None = None,
) -> None:
    """Raise unless a metric keeps all laws.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    batches : sequence of batches or of objects, or mapping of str to such, optional
        One data set, or several by name. Without it, the examples of the metric's task are
        used, which show every gap and tie that the task allows.
    parameters : mapping or instance of the metric's parameter class, optional
        Its parameters; the defaults without it.
    resources : mapping of str to object, optional
        Open resources by the names that the metric asks for.

    Raises
    ------
    ConformanceError
        For the first law that is broken, with what differed.

    Examples
    --------
    >>> import valor_core
    >>> @valor_core.metric("mylab.Shouts", task="text")
    ... def shouts(item) -> float:
    ...     return float((item.response or "").isupper())
    >>> check_metric(shouts)
    """
    registry = Registry()
    for _, check in _metric_cases(
        spec,
        _datasets(batches, registry),
        parameters,
        lambda: nullcontext(resources or {}),
        registry,
    ):
        check()


def check_plugin(
    namespace: str,
    registry: Registry | None = None,
    *,
    batches: Data = None,
    parameters: Mapping[str, Any] | None = None,
    resources: Resources | None = None,
    readers: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Raise unless a plugin and all that it declares keep all laws.

    Parameters
    ----------
    namespace : str
        The entry-point name of the plugin.
    registry : Registry, optional
        Where it is looked up; the installed plugins without it.
    batches : sequence of batches or of objects, or mapping of str to such, optional
        As in `check_metric`; those of a metric's task are taken.
    parameters : mapping of str to parameters or list of parameters, optional
        By metric name, for metrics whose defaults do not show enough or that have none.
    resources : mapping of str to object, optional
        Open resources by name, such as a stand-in for a judge. Others are opened with their default
        parameters if they are declared as ``free``; no other is ever opened.
    readers : mapping of str to mapping of str to object, optional
        Parameters of readers by name; these are run, as by `check_reader`.

    Raises
    ------
    ConformanceError
        For the first law that is broken: who breaks it, which law, and what differed.
    RegistryError
        If the plugin cannot be found or imported.

    Examples
    --------
    >>> check_plugin("core")
    """
    for _, check in cases(
        namespace,
        registry,
        batches=batches,
        parameters=parameters,
        resources=resources,
        readers=readers,
    ):
        check()


def cases(
    namespace: str,
    registry: Registry | None = None,
    *,
    batches: Data = None,
    parameters: Mapping[str, Any] | None = None,
    resources: Resources | None = None,
    readers: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[Case]:
    """Everything that `check_plugin` checks, one by one, for ``pytest.mark.parametrize``.

    Yields
    ------
    name : str
        For instance ``"mylab.ExactMatch/any split"``.
    check : callable
        Raises a `ConformanceError` unless the law holds.

    Examples
    --------
    >>> [name for name, check in cases("core")][:2]
    ['core/manifest declares', 'core/manifest is light']
    """
    plugin = Plugin(namespace, Registry() if registry is None else registry)
    manifest = plugin.registry.manifest(namespace)
    for plugin_law in (manifest_declares, manifest_is_light):
        yield f"{namespace}/{name_of(plugin_law)}", partial(plugin_law, plugin)
    _check_named(namespace, "reader", manifest.of(ReaderSpec), readers or {})
    for declared in manifest.all():
        if not isinstance(declared, MetricSpec):
            yield from _spec_cases(declared)
            for name, check in _run_cases(declared, readers or {}, plugin.registry):
                yield f"{declared.name}/{name}", check
    given = _by_metric(namespace, manifest.of(MetricSpec), parameters or {})
    datasets = _datasets(batches, plugin.registry)
    bound: dict[str, list[tuple[MetricSpec, Any]]] = {}
    served = [(spec, task) for spec in manifest.of(MetricSpec) for task in spec.tasks]
    for declared_spec, of_task in served:
        spec = declared_spec.serving(of_task)
        opener = partial(_opened, [spec], resources or {}, plugin.registry)
        for number, values in enumerate(given[spec.name]):
            several = f"[{number}]" if len(given[spec.name]) > 1 else ""
            several += f"[{of_task}]" if spec.other_tasks else ""
            bound.setdefault(spec.task, []).append((spec, values))
            for name, check in _metric_cases(spec, datasets, values, opener, plugin.registry):
                yield name.replace("/", f"{several}/", 1), check
    for task, chosen in bound.items():
        joint = partial(_check_together, chosen, datasets, resources or {}, plugin.registry)
        yield f"{namespace}/{name_of(laws.alone_as_together)}: {task}", joint


def _metric_cases(
    spec: MetricSpec, datasets: DataSets, parameters: Any, opener: Opened, registry: Registry
) -> Iterator[Case]:
    yield from _spec_cases(spec)
    yield (
        f"{spec.name}/{name_of(laws.parameters_round_trip)}",
        lambda: laws.parameters_round_trip(spec, _parameters(spec, parameters)),
    )

    def check_each(law: Callable[[Subject, DataSet], None]) -> None:
        with opener() as resources:
            subject = _subject(spec, parameters, resources, registry)
            for name, data in datasets(spec).items():
                _uphold(law, subject, name, data)

    def check_all() -> None:
        with opener() as resources:
            laws.some_data_answered(_subject(spec, parameters, resources, registry), datasets(spec))

    for law in laws.METRIC_LAWS:
        yield f"{spec.name}/{name_of(law)}", partial(check_each, law)
    yield f"{spec.name}/{name_of(laws.some_data_answered)}", check_all


def _spec_cases(spec: Spec) -> Iterator[Case]:
    for spec_law in (laws.declared_well, laws.code_is_there, laws.parameters_are_declared):
        yield f"{spec.name}/{name_of(spec_law)}", partial(spec_law, spec)


def _run_cases(
    spec: Spec, readers: Mapping[str, Mapping[str, Any]], registry: Registry
) -> Iterator[Case]:
    """What a reader, a resource or an engine does, where it can be run for nothing."""
    if isinstance(spec, ReaderSpec) and spec.name in readers:
        yield from reader_cases(spec, readers[spec.name], registry=registry)
    elif isinstance(spec, ResourceSpec) and spec.free and not spec.kinds and _has_defaults(spec):
        yield from resource_cases(spec, registry=registry)
    elif isinstance(spec, EngineSpec) and _has_defaults(spec):
        yield from engine_cases(spec)


def _has_defaults(spec: Spec) -> bool:
    """Whether something can be made without parameters."""
    try:
        build(spec.parameter_class, {}, "")
    except ValorError:
        return False
    return True


def _uphold(
    law: Callable[[Subject, DataSet], None], subject: Subject, dataset: str, batches: DataSet
) -> None:
    """Hold a metric to a law on one data set, unless it refuses these data as a whole."""
    try:
        law(subject, batches)
    except ConformanceError as error:
        finding = f"{error.finding} (data set {dataset!r})"
        raise ConformanceError(error.of, error.law, finding) from error.__cause__
    except Refusal as refusal:
        if subject.outcome(batches) != REFUSED:
            raise ConformanceError(
                subject.name,
                name_of(law),
                f"data that are accepted as a whole are refused in part: {refusal} "
                f"(data set {dataset!r})",
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
        for name, data in datasets(specs[0]).items():
            _uphold(laws.alone_as_together, subject, name, data)


def _subject(
    spec: MetricSpec, parameters: Any, resources: Resources, registry: Registry
) -> Subject:
    missing = [name for name in spec.resources if name not in resources]
    if missing:
        raise ConformanceError(
            spec.name,
            "resources are there",
            f"it asks for {missing[0]!r}; pass resources={{{missing[0]!r}: …}}",
        )
    return Subject((BoundMetric(spec, _parameters(spec, parameters)),), resources, registry)


def _parameters(spec: MetricSpec, given: Any) -> Any:
    if given is not None and isinstance(given, spec.parameter_class):
        return given
    try:
        built: Any = build(spec.parameter_class, given or {}, "")
    except ValorError as error:
        raise ConformanceError(
            spec.name,
            name_of(laws.parameters_round_trip),
            f"{error.message}; give examples where the defaults will not do: parameters=…",
        ) from error
    return built


def _datasets(given: Data, registry: Registry) -> DataSets:
    """The data sets of each task, made once for all of its metrics."""
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
        found = examples.datasets(task) or _declared_examples(task, registry)
    else:
        named = given if isinstance(given, Mapping) else {"given": given}
        found = {
            name: batches
            for name, data in named.items()
            if (batches := _batches(data, task, registry)) is not None
        }
    return {name: DataSet(batches) for name, batches in found.items()}


def _declared_examples(task: str, registry: Registry) -> dict[str, Batches]:
    """The data sets that a plugin has for a task of its own."""
    place = registry.find(TaskSpec, task).examples if registry.knows_task(task) else None
    return {} if place is None else dict(by_reference(place)())


def _batches(data: Sequence[Any], task: str, registry: Registry) -> Batches | None:
    """The batches of one data set, if they are of the task."""
    batches = [batch for batch in data if isinstance(batch, Batch)]
    if any(batch.task != task for batch in batches):
        return None
    made = type(batches[0]) if batches else registry.batch_class(task)
    return InMemory.of(data, made).batches


def _by_metric(
    namespace: str, metrics: Sequence[MetricSpec], given: Mapping[str, Any]
) -> dict[str, Sequence[Any]]:
    """The parameters to check every metric with."""
    _check_named(namespace, "metric", metrics, given)
    chosen = {spec.name: given.get(spec.name) for spec in metrics}
    return {
        name: values if isinstance(values, list) and values else [values]
        for name, values in chosen.items()
    }


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
    """The resources that metrics ask for: those given, and free ones with their defaults."""
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
            "resources are there",
            f"{error}; pass resources={{{name!r}: …}}",
        ) from error
    with opened(wanted) as resources:
        yield {**resources, **given}


def _check_free(spec: ResourceSpec) -> None:
    """Raise unless anybody may open a resource: the kit uses one thousands of times."""
    if not spec.free:
        raise ResourceError(
            f"{spec.name}: expected a stand-in, since opening it may cost money; it is opened "
            "here only if its spec says free=True"
        )
