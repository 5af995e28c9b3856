"""Specs of plugin components, declared without importing their code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Self, TypeVar

from attrs import evolve, field, fields, frozen, has
from attrs.validators import optional

from valor_core.errors import (
    BrokenPluginError,
    ManifestError,
    MissingExtraError,
    RegistryError,
    ValorError,
    did_you_mean,
    short_repr,
)
from valor_core.lazy import migration_hint
from valor_core.packages import OWNERS, unmet_core, ways
from valor_core.parameters.declaration import NoParameters, parameters_of
from valor_core.specs.extensions import claims, reason_of
from valor_core.specs.names import ParameterAlias, folded_name

_NAME = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z][A-Za-z0-9_]*")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
IMPLEMENTATION = re.compile(r"[\w.]+:[\w.]+")


def _matches(pattern: re.Pattern[str], form: str) -> Any:
    def check(spec: Any, attribute: Any, value: object) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            of = type(spec).__name__ if attribute.name == "name" else called(spec)
            raise ManifestError(
                f"{of}: {attribute.name} must look like {form}, got {short_repr(value)}",
                f"Write it as: {attribute.name}={form}",
            )

    return check


def called(spec: Any) -> str:
    """Return the class and name of a spec for errors."""
    return f"{type(spec).__name__} {spec.name!r}"


REQUIRES_HINT = "Write them as: requires=('response', 'references')"


def check_requires_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of names."""
    if not isinstance(value, tuple) or not all(isinstance(name, str) for name in value):
        raise ManifestError(
            f"{called(spec)}: requires must be a tuple of names of fields, got {short_repr(value)}",
            REQUIRES_HINT,
        )


_ALIASES = "Write them as: aliases=('other_name',)"


def check_aliases(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of words."""
    if not isinstance(value, tuple):
        raise ManifestError(
            f"{called(spec)}: aliases must be a tuple of words, got {short_repr(value)}", _ALIASES
        )
    for word in value:
        if not isinstance(word, str) or not _ALIAS.fullmatch(word):
            raise ManifestError(
                f"{called(spec)}: aliases must be words of letters, digits, '_' and '-' that "
                f"begin with a letter, got {short_repr(word)}",
                _ALIASES,
            )


def check_parameters_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a parameter class or its import string."""
    if isinstance(value, str) and IMPLEMENTATION.fullmatch(value):
        return
    if not isinstance(value, type):
        raise ManifestError(
            f"{called(spec)}: parameters must be a class or look like "
            f"'package.parameters:Class', got {short_repr(value)}",
            "Write it as: parameters='package.parameters:Class'",
        )
    spec.check_parameter_class(value)


def name_form(form: str) -> Any:
    """Return a validator of names with a namespace, with the expected form for errors."""
    return _matches(_NAME, form)


place_form: Any = _matches(IMPLEMENTATION, "'package.module:name'")
"""Validator of import strings; raises `ManifestError`."""


RESERVED = frozenset({"error", "metric", "name", "slice", "type", "undefined", "value"})
"""Keys of results and configs, reserved as names of parameters."""


@frozen
class Range:
    """Closed range of a metric's numbers; None means no bound.

    Examples
    --------
    >>> str(Range(0, 1)), 0.5 in Range(0, 1), str(Range(0))
    ('0 to 1', True, '0 or more')
    """

    low: float | None = None
    high: float | None = None

    def __contains__(self, number: float) -> bool:
        above = self.low is None or number >= self.low
        return above and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.low is None and self.high is None:
            return "any number"
        if self.high is None:
            return f"{self.low:g} or more"
        return f"up to {self.high:g}" if self.low is None else f"{self.low:g} to {self.high:g}"


@frozen
class Reference:
    """Paper, standard or program that defines a metric, with its section or equation."""

    title: str
    section: str | None = None
    url: str | None = None

    def __str__(self) -> str:
        return ", ".join(part for part in (self.title, self.section, self.url) if part)


_ALWAYS_PRESENT = ("uid", "metadata")
"""Fields that every item has."""


@frozen(kw_only=True)
class Spec:
    """Base class of specs: a name in a namespace, a summary, parameters and code.

    Parameters
    ----------
    name : str
        Namespace and name, ``"classification.ROCAUC"``.
    summary : str
        Description in one line.
    parameters : type or str
        Parameter class, or its import string ``"package.parameters:Class"``, which is imported on
        first use.
    implementation : str
        Import string of the code, ``"package.module:name"``; imported on first use.
    aliases : tuple of str
        Other names in the same namespace.
    extra : str, optional
        Extra of the distribution that installs dependencies of the code, ``"raster"``.
    """

    kind: ClassVar[str] = "spec"
    """Word for messages."""
    searched_globally: ClassVar[bool] = False
    """True if bare names are searched in all namespaces."""

    name: str = field(validator=name_form("'namespace.Name'"))
    summary: str
    parameters: type | str = field(default=NoParameters, validator=check_parameters_form)
    implementation: str = field(validator=place_form)
    aliases: tuple[str, ...] = field(default=(), validator=check_aliases)
    extra: str | None = None

    @property
    def namespace(self) -> str:
        """Part of the name before the dot: the entry point that declares the spec."""
        return self.name.partition(".")[0]

    @property
    def short_name(self) -> str:
        """Part of the name after the dot."""
        return self.name.partition(".")[2]

    @cached_property
    def parameter_class(self) -> type:
        """Parameter class; imported if the spec has its import string.

        Raises
        ------
        BrokenPluginError
            If it cannot be imported.
        ManifestError
            If it is not a parameter class.
        """
        if isinstance(self.parameters, type):
            return self.parameters
        try:
            found: type = import_object(self.parameters)
        except RegistryError as error:
            raise error.at(f"{self.name}: its parameters {self.parameters}: ") from error
        except Exception as error:
            raise BrokenPluginError(
                f"{self.name}: its parameters {self.parameters} cannot be imported, "
                f"{reason_of(error)}",
                self._import_hint(error),
            ) from error
        self.check_parameter_class(found)
        return found

    def load(self, place: str | None = None) -> Any:
        """Import the code that the spec names.

        Parameters
        ----------
        place : str, optional
            Import string to load instead of `implementation`, ``"package.module:name"``.

        Raises
        ------
        MissingExtraError
            If the code needs a package that the spec's extra installs.
        BrokenPluginError
            If the import fails for another reason.
        """
        place = self.implementation if place is None else place
        package = place.partition(".")[0]
        broken = f"{self.name}: its code {place} cannot be imported"
        try:
            return import_object(place)
        except ModuleNotFoundError as error:
            if self.extra is None or (error.name or package).partition(".")[0] == package:
                raise BrokenPluginError(
                    f"{broken}, {reason_of(error)}", self._import_hint(error)
                ) from error
            raise MissingExtraError(
                f"{self.name}: its code needs {error.name!r}, which is not installed",
                f"Install it with: {ways(f'{_distribution_of(self.namespace)}[{self.extra}]')}",
            ) from error
        except ValorError:
            raise
        except Exception as error:
            raise BrokenPluginError(
                f"{broken}, {reason_of(error)}", self._import_hint(error)
            ) from error

    def _import_hint(self, error: Exception) -> str | None:
        """Return the remedy for code that cannot be imported."""
        unmet = unmet_core(_distribution_of(self.namespace))
        return str(unmet) if unmet else migration_hint(error)

    def check_parameter_class(self, cls: object) -> None:
        """Raise a `ManifestError` unless a class can hold the parameters."""
        if not isinstance(cls, type) or not has(cls):
            raise ManifestError(
                f"{self.name}: expected parameters to be a parameter class, "
                f"found {short_repr(cls)}",
                "Make it with the decorator: @valor_core.parameters.parameters",
            )


@frozen(kw_only=True)
class MetricSpec(Spec):
    """Spec of a metric.

    Parameters
    ----------
    task : str
        Task of its batches: ``"classification"``, ``"detection"``, ``"segmentation"``, ``"text"``.
    other_tasks : tuple of str
        Further tasks that it supports.
    higher_is_better : bool or None
        Direction; None for a count, a matrix or a curve. A metric whose results differ in
        direction has a parameter of this name in each result.
    range : Range
        Range of its numbers.
    references : tuple of Reference
        Definitions of the metric.
    version : int
        Incremented when the number changes for any input.
    resources : tuple of str
        Names of the resources that it needs. If they depend on the parameters, the parameter class
        has a property `asked_resources` with those needed.
    requires : tuple of str
        Required fields of an item, ``("response", "references")``. A per-item metric does not
        score an item without one of them: it is `Undefined`, "no references". Other metrics query
        the batch with its method ``lacks``.
    uses : tuple of str
        Optional fields that it uses.
    parameter_aliases : tuple of ParameterAlias
        Aliases that also set parameters:
        ``ParameterAlias("balanced_accuracy", {"balanced": True})``.
    related_names : tuple of str
        Names of related metrics that Valor does not have. The error for such a name suggests this
        metric.
    name_parameter : str, optional
        Parameter that receives an unknown name of the namespace: with ``"module"``, ``hf.rouge``
        is ``hf.Module`` with ``module: rouge``.

    Examples
    --------
    >>> spec = MetricSpec(
    ...     name="mylab.Length",
    ...     task="text",
    ...     summary="Mean number of characters in a response",
    ...     implementation="mylab.length:score",
    ...     higher_is_better=None,
    ...     range=Range(0),
    ... )
    >>> spec.namespace, spec.short_name, spec.identity
    ('mylab', 'Length', 'mylab.Length@1')
    """

    kind: ClassVar[str] = "metric"

    task: str
    other_tasks: tuple[str, ...] = ()
    higher_is_better: bool | None
    range: Range
    references: tuple[Reference, ...] = ()
    version: int = 1
    resources: tuple[str, ...] = ()
    requires: tuple[str, ...] = field(default=(), validator=check_requires_form)
    uses: tuple[str, ...] = field(default=(), validator=check_requires_form)
    parameter_aliases: tuple[ParameterAlias, ...] = ()
    related_names: tuple[str, ...] = ()
    name_parameter: str | None = None

    @property
    def tasks(self) -> tuple[str, ...]:
        """All supported tasks."""
        return (self.task, *self.other_tasks)

    def for_task(self, task: str | None) -> Self:
        """Return the spec with a supported task as its first; otherwise unchanged."""
        if task == self.task or task not in self.other_tasks:
            return self
        others = tuple(one for one in self.tasks if one != task)
        return evolve(self, task=task, other_tasks=others)

    @property
    def identity(self) -> str:
        """Name and version, as a report records them."""
        return f"{self.name}@{self.version}"

    @property
    def best_value(self) -> float | None:
        """End of the range that is best, if the metric has a direction and the range this end."""
        if self.higher_is_better is None:
            return None
        return self.range.high if self.higher_is_better else self.range.low

    def make(self, parameters: Any, resources: Mapping[str, str]) -> Any:
        """Import the code and make the metric.

        Parameters
        ----------
        parameters : object
            Instance of the parameter class.
        resources : mapping of str to str
            Name of the instance per resource: ``{"judge": "strict"}``.
        """
        return self.load()(parameters)

    @property
    def parameters_hint(self) -> str:
        """Remedy that shows how to list the parameters."""
        return f"See its parameters with: valor show {self.name}"

    def rows_request(
        self, parameters: Any, resources: Mapping[str, str], metadata: tuple[str, ...]
    ) -> Any:
        """Return the `StateRequest` for rows of items with metadata, or None without rows."""
        return None

    def check_parameter_class(self, cls: object) -> None:
        """Also reject reserved names of parameters and an unknown `name_parameter`."""
        super().check_parameter_class(cls)
        for parameter in parameters_of(cls):
            if parameter.name in RESERVED:
                raise ManifestError(
                    f"{self.name}: the parameter name {parameter.name!r} is reserved",
                    f"Reserved names: {', '.join(sorted(RESERVED))}",
                )
        names = [parameter.name for parameter in parameters_of(cls)]
        if self.name_parameter is not None and self.name_parameter not in names:
            raise ManifestError(
                f"{self.name}: name_parameter must be one of its parameters, got "
                f"{short_repr(self.name_parameter)}",
                f"It is one of: {', '.join(names)}",
            )


@frozen(kw_only=True)
class ReaderSpec(Spec):
    """Spec of a reader.

    Parameters
    ----------
    task : str or None
        Task of its batches; None for all tasks whose items are table rows.
    other_tasks : tuple of str
        Supported tasks in addition to those whose `TaskSpec` declares `rows`.
    detect : str, optional
        Import string of a function ``detect(files)`` that detects files of this reader. It receives
        paths, or tables in memory if the reader accepts them, and returns
        `Detected`, or None for other files.
    pairs : str, optional
        Import string of ``pairs(groundtruths, predictions)``, which makes a batch from data in
        memory, or returns None for data of another task.
    """

    kind: ClassVar[str] = "reader"

    task: str | None
    other_tasks: tuple[str, ...] = ()
    detect: str | None = field(default=None, validator=optional(place_form))
    pairs: str | None = field(default=None, validator=optional(place_form))

    def serves(self, task: TaskSpec) -> bool:
        """Return whether the reader supports a task."""
        if self.task is not None:
            return self.task == task.short_name
        return task.rows is not None or task.short_name in self.other_tasks


@frozen(kw_only=True)
class ResourceSpec(Spec):
    """Spec of a resource, such as a judge, a tokenizer or a cache.

    The implementation is called with the parameters once per process and returns the object that
    metrics receive. The object must be thread-safe; its ``close`` method, if any, is called at the
    end.

    Parameters
    ----------
    identity : tuple of str, optional
        Parameters, or properties of the parameter class, that can change a number. Defaults to all
        parameters. The others, such as a budget, a width or a path, may change when a run resumes
        from a saved state.
    free : bool
        Whether opening it costs nothing, so that the conformance kit may open it.
    divided : tuple of str
        Numeric parameters, such as a budget, that the workers of a run share.
    kinds : str, optional
        Config key that selects a `ResourceKindSpec`: ``"client"``.
    several_kinds : bool
        Whether the key accepts a list of kinds. The implementation then always receives a tuple.

    Examples
    --------
    >>> spec = ResourceSpec(
    ...     name="mylab.judge",
    ...     summary="A model that is asked for a grade",
    ...     implementation="mylab.judge:Judge",
    ...     identity=("model",),
    ...     divided=("budget",),
    ...     kinds="client",
    ... )
    >>> spec.free
    False
    """

    kind: ClassVar[str] = "resource"

    identity: tuple[str, ...] | None = None
    free: bool = False
    divided: tuple[str, ...] = ()
    kinds: str | None = None
    several_kinds: bool = False


@frozen(kw_only=True)
class ResourceKindSpec(Spec):
    """Spec of a kind of a resource, such as a client of a judge.

    The implementation is called with the parameters; the resource receives the returned object.
    A bare name is searched in the namespace of the resource, then in all others.

    Parameters
    ----------
    resource : str
        Full name of the resource, which may belong to another plugin.
    identity : tuple of str, optional
        Parameters that can change a number. Defaults to all parameters.
    """

    kind: ClassVar[str] = "resource kind"
    searched_globally: ClassVar[bool] = True

    resource: str = field(validator=name_form("'namespace.name'"))
    identity: tuple[str, ...] | None = None


@frozen(kw_only=True)
class GallerySpec(Spec):
    """Spec of a gallery.

    The implementation is called with the parameters and makes a `Gallery`. A gallery named
    ``Gallery`` in the namespace of a task is the default of the task.

    Parameters
    ----------
    task : str
        Task of the items that it draws.
    """

    kind: ClassVar[str] = "gallery"

    task: str


@frozen(kw_only=True)
class EngineSpec(Spec):
    """Spec of an engine, which evaluates the partitions of a source.

    The implementation is called with the parameters and makes an `Engine`. A bare name is searched
    in all namespaces.
    """

    kind: ClassVar[str] = "engine"
    searched_globally: ClassVar[bool] = True


@frozen(kw_only=True)
class TaskSpec(Spec):
    """Spec of a task: the classes of its items and batches.

    Configs use its short name. The implementation is the batch class, a subclass of
    `valor_core.schemas.Batch` whose ``task`` is the short name.

    Parameters
    ----------
    item : str
        Import string of the item class, ``"package.module:Item"``.
    rows : str, optional
        Import string of a function that makes a batch from a `valor_files.Table`; with it, readers
        of tables support the task.
    pairs : str, optional
        Import string of a function that makes a batch from data in memory, as for a `ReaderSpec`.
    examples : str, optional
        Import string of a function that makes data sets by name, each a list of batches, for the
        conformance kit.
    arrays : str, optional
        Remedy for arrays passed as items, unless the plugin with the task's name declares an
        `ArraysSpec`.
    """

    kind: ClassVar[str] = "task"
    searched_globally: ClassVar[bool] = True

    item: str = field(validator=place_form)
    rows: str | None = field(default=None, validator=optional(place_form))
    pairs: str | None = field(default=None, validator=optional(place_form))
    examples: str | None = field(default=None, validator=optional(place_form))
    arrays: str | None = None

    def check_required_fields(self, metric: MetricSpec) -> None:
        """Raise a `ManifestError` unless all required fields of a metric are optional item fields.

        Examples
        --------
        >>> from valor_core.specs.registry import Registry
        >>> metric = MetricSpec(name="mylab.Length", task="text", summary="", implementation="m:f",
        ...                     higher_is_better=None, range=Range(), requires=("answer",))
        >>> Registry().find(TaskSpec, "text").check_required_fields(metric)
        Traceback (most recent call last):
            ...
        valor_core.errors.ManifestError: mylab.Length: requires must be among query, response,
        references, contexts, reference_contexts, outcomes, got 'answer'
        Write them as: requires=('response', 'references')
        """
        if not metric.requires:
            return
        if not import_object(self.implementation).may_lack:
            raise ManifestError(
                f"{metric.name}: expected no requires, got {metric.requires[0]!r}; batches of "
                f"{self.short_name} do not report missing fields",
                "Return Undefined with a reason for an item that cannot be scored.",
            )
        names = (one.name for one in fields(import_object(self.item)))
        optional_names = [name for name in names if name not in _ALWAYS_PRESENT]
        for name in metric.requires:
            if name not in optional_names:
                raise ManifestError(
                    f"{metric.name}: requires must be among {', '.join(optional_names)}, "
                    f"got {name!r}",
                    did_you_mean(name, optional_names) or REQUIRES_HINT,
                )


@frozen(kw_only=True)
class CommandSpec(Spec):
    """Spec of a command that a plugin adds to ``valor``.

    The implementation is a click command, or a function of the arguments that returns the exit
    code. It is imported when the command is called by its short name. The function receives a list
    of strings as typed, including ``--help``.
    """

    kind: ClassVar[str] = "command"
    searched_globally: ClassVar[bool] = True


@frozen(kw_only=True)
class ArraysSpec(Spec):
    """Spec of how a family makes batches of a task from arrays and items.

    The plugin with the task's name declares it. The summary is the remedy for arrays passed as
    items; the implementation makes a batch from arrays.

    Parameters
    ----------
    task : str
        Task of the batches.
    items : str, optional
        Function that makes a batch from items and checks more than `Batch.of` does.
    """

    kind: ClassVar[str] = "arrays"

    task: str
    items: str | None = field(default=None, validator=optional(place_form))


@frozen(kw_only=True)
class ProtocolSpec(Spec):
    """Spec of a benchmark's protocol of detection, for the parameter ``matching``.

    The implementation is a `Protocol` of `valor_detection.states`. A bare name is searched in all
    namespaces.
    """

    kind: ClassVar[str] = "protocol"
    searched_globally: ClassVar[bool] = True


KINDS: Mapping[str, type[Spec]] = {
    "metrics": MetricSpec,
    "readers": ReaderSpec,
    "resources": ResourceSpec,
    "resource_kinds": ResourceKindSpec,
    "galleries": GallerySpec,
    "engines": EngineSpec,
    "tasks": TaskSpec,
    "commands": CommandSpec,
    "arrays": ArraysSpec,
    "protocols": ProtocolSpec,
}
"""Spec classes; the name of the hook is ``valor_`` and the key."""


_S = TypeVar("_S", bound=Spec)


class Specs(tuple[_S, ...]):
    """Specs of one kind from one namespace."""

    @cached_property
    def by_name(self) -> Mapping[str, _S]:
        """Specs by normalized name and alias."""
        words = [(word, spec) for spec in self for word in (*spec.aliases, spec.short_name)]
        return {folded_name(word): spec for word, spec in words}


def import_object(place: str) -> Any:
    """Import an object by ``"package.module:name"``."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _distribution_of(namespace: str) -> str:
    found = [claim.distribution for claim in claims() if claim.namespace == namespace]
    return found[0] if len(found) == 1 else OWNERS.get(namespace, f"valor-{namespace}")
