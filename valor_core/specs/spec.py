"""Specs: what each thing that a plugin brings says of itself before its code is imported."""

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
    ValorError,
    did_you_mean,
    shown,
)
from valor_core.packages import OWNERS, ways
from valor_core.parameters.declaration import NoParameters, declared
from valor_core.specs.extensions import claims
from valor_core.specs.names import ParameterAlias, fold

_NAME = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z][A-Za-z0-9_]*")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
IMPLEMENTATION = re.compile(r"[\w.]+:[\w.]+")


def _matches(pattern: re.Pattern[str], form: str) -> Any:
    def check(spec: Any, attribute: Any, value: object) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            of = type(spec).__name__ if attribute.name == "name" else called(spec)
            raise ManifestError(
                f"{of}: {attribute.name} must look like {form}, got {shown(value)}",
                f"Write it as: {attribute.name}={form}",
            )

    return check


def called(spec: Any) -> str:
    """What errors call a spec."""
    return f"{type(spec).__name__} {spec.name!r}"


REQUIRES_HINT = "Write them as: requires=('response', 'references')"


def check_requires_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of names."""
    if not isinstance(value, tuple) or not all(isinstance(name, str) for name in value):
        raise ManifestError(
            f"{called(spec)}: requires must be a tuple of names of fields, got {shown(value)}",
            REQUIRES_HINT,
        )


_ALIASES = "Write them as: aliases=('other_name',)"


def check_aliases(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a tuple of words."""
    if not isinstance(value, tuple):
        raise ManifestError(
            f"{called(spec)}: aliases must be a tuple of words, got {shown(value)}", _ALIASES
        )
    for word in value:
        if not isinstance(word, str) or not _ALIAS.fullmatch(word):
            raise ManifestError(
                f"{called(spec)}: aliases must be words of letters, digits, '_' and '-' that "
                f"begin with a letter, got {shown(word)}",
                _ALIASES,
            )


def check_parameters_form(spec: Any, attribute: Any, value: object) -> None:
    """Raise a `ManifestError` unless a value is a parameter class or its place in the code."""
    if isinstance(value, str) and IMPLEMENTATION.fullmatch(value):
        return
    if not isinstance(value, type):
        raise ManifestError(
            f"{called(spec)}: parameters must be a class or look like "
            f"'package.parameters:Class', got {shown(value)}",
            "Write it as: parameters='package.parameters:Class'",
        )
    spec.check_parameter_class(value)


def name_form(form: str) -> Any:
    """What raises a `ManifestError` unless a value is a name in a namespace, as in the form."""
    return _matches(_NAME, form)


place_form: Any = _matches(IMPLEMENTATION, "'package.module:name'")
"""Raises a `ManifestError` unless a value is a place in the code."""


RESERVED = frozenset({"error", "metric", "name", "slice", "type", "undefined", "value"})
"""What a result and a config call things of their own; no parameter of a metric is called so."""


@frozen
class Range:
    """Closed range of a metric's numbers; None is no bound.

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
    """The paper, standard or program that defines a metric, with its section or equation."""

    title: str
    section: str | None = None
    url: str | None = None

    def __str__(self) -> str:
        return ", ".join(part for part in (self.title, self.section, self.url) if part)


_ALWAYS_THERE = ("uid", "metadata")
"""Fields that no item lacks."""


@frozen(kw_only=True)
class Spec:
    """What every declared thing has: a name in a namespace, a summary, parameters and code.

    Parameters
    ----------
    name : str
        Namespace and name, ``"classification.ROCAUC"``.
    summary : str
        What it is, in one line.
    parameters : type or str
        Its parameter class, or where that is, ``"package.parameters:Class"``; so named, it is
        made when it is first used. `NoParameters` where there are none.
    implementation : str
        Where its code is, ``"package.module:name"``; imported when first used.
    aliases : tuple of str
        Other names in the same namespace.
    extra : str, optional
        Extra of its distribution that brings what the code needs, ``"raster"``.
    """

    kind: ClassVar[str] = "spec"
    """What people call a thing of this sort."""
    searched_globally: ClassVar[bool] = False
    """Whether a bare name is looked for in all namespaces."""

    name: str = field(validator=name_form("'namespace.Name'"))
    summary: str
    parameters: type | str = field(default=NoParameters, validator=check_parameters_form)
    implementation: str = field(validator=place_form)
    aliases: tuple[str, ...] = field(default=(), validator=check_aliases)
    extra: str | None = None

    @property
    def namespace(self) -> str:
        """The part of the name before the dot: the entry point that declares it."""
        return self.name.partition(".")[0]

    @property
    def short_name(self) -> str:
        """The part of the name after the dot."""
        return self.name.partition(".")[2]

    @cached_property
    def parameter_class(self) -> type:
        """The class of its parameters, imported now where it is named by its place.

        Raises
        ------
        BrokenPluginError
            If it cannot be imported.
        ManifestError
            If it is no such class.
        """
        if isinstance(self.parameters, type):
            return self.parameters
        try:
            found: type = import_object(self.parameters)
        except Exception as error:
            raise BrokenPluginError(
                f"{self.name}: its parameters {self.parameters} cannot be imported, "
                f"{type(error).__name__}: {error}"
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
                raise BrokenPluginError(f"{broken}, {type(error).__name__}: {error}") from error
            raise MissingExtraError(
                f"{self.name}: its code needs {error.name!r}, which is not installed",
                f"Install it with: {ways(f'{_distribution_of(self.namespace)}[{self.extra}]')}",
            ) from error
        except ValorError:
            raise
        except Exception as error:
            raise BrokenPluginError(f"{broken}, {type(error).__name__}: {error}") from error

    def check_parameter_class(self, cls: object) -> None:
        """Raise a `ManifestError` unless a class can hold the parameters of such a thing."""
        if not isinstance(cls, type) or not has(cls):
            raise ManifestError(
                f"{self.name}: expected parameters to be a parameter class, found {shown(cls)}",
                "Make it with the decorator: @valor_core.parameters.parameters",
            )


@frozen(kw_only=True)
class MetricSpec(Spec):
    """What a metric says about itself before its code is imported.

    Parameters
    ----------
    task : str
        Which batches it reads: ``"classification"``, ``"detection"``, ``"segmentation"``,
        ``"text"``.
    other_tasks : tuple of str
        Tasks whose batches it reads besides.
    higher_is_better : bool or None
        Its direction; None for a count, a matrix or a curve. A metric whose results differ in it
        says so in their parameters, under the same name.
    range : Range
        Where its numbers lie.
    references : tuple of Reference
        What defines it.
    version : int
        Raised when any input can give another number.
    resources : tuple of str
        Names of the resources that it asks for. A parameter class that can do without some of them
        has a property `asked_resources`, those that its values ask for.
    reads : tuple of str
        Fields of an item that it cannot do without, ``("response", "references")``. An item that
        has none of one is not handed to a per-item metric: it is `Undefined`, "no references". A
        metric that reads a state asks the batch for them itself, by its method ``lacks``.
    uses : tuple of str
        Fields that it uses besides, where an item has them or a parameter asks for them.
    parameter_aliases : tuple of ParameterAlias
        Names that people give it with some of its parameters:
        ``ParameterAlias("balanced_accuracy", {"balanced": True})``.
    related_names : tuple of str
        Names of something else that this metric is a part or the nearest form of. The error for
        such a name suggests the metric.
    name_parameter : str, optional
        Parameter that a name means which nothing in its namespace has: with ``"module"``,
        ``hf.rouge`` is ``hf.Module`` with ``module: rouge``.

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
        """All tasks whose batches it reads."""
        return (self.task, *self.other_tasks)

    def for_task(self, task: str | None) -> Self:
        """The same metric as one of a task, if it reads its batches; else as it is."""
        if task == self.task or task not in self.other_tasks:
            return self
        others = tuple(one for one in self.tasks if one != task)
        return evolve(self, task=task, other_tasks=others)

    @property
    def identity(self) -> str:
        """Name and version, as a report records them."""
        return f"{self.name}@{self.version}"

    def make(self, parameters: Any, resources: Mapping[str, str]) -> Any:
        """Make the metric of some parameters; imports its code.

        Parameters
        ----------
        parameters : object
            Instance of the parameter class.
        resources : mapping of str to str
            Instance of each resource that the choice names: ``{"judge": "strict"}``.
        """
        return self.load()(parameters)

    @property
    def parameters_hint(self) -> str:
        """Remedy that says where the parameters are listed."""
        return f"See its parameters with: valor show {self.name}"

    def rows_request(
        self, parameters: Any, resources: Mapping[str, str], metadata: tuple[str, ...]
    ) -> Any:
        """Return the `StateRequest` for rows of items with metadata, or None without rows."""
        return None

    def check_parameter_class(self, cls: object) -> None:
        """Refuse names of parameters that a result or a config has for something else, too."""
        super().check_parameter_class(cls)
        for parameter in declared(cls):
            if parameter.name in RESERVED:
                raise ManifestError(
                    f"{self.name}: expected a parameter of a name that is free, got "
                    f"{parameter.name!r}, which results or configs have for something else",
                    f"Call it otherwise than: {', '.join(sorted(RESERVED))}",
                )
        names = [parameter.name for parameter in declared(cls)]
        if self.name_parameter is not None and self.name_parameter not in names:
            raise ManifestError(
                f"{self.name}: name_parameter must be one of its parameters, got "
                f"{shown(self.name_parameter)}",
                f"It is one of: {', '.join(names)}",
            )


@frozen(kw_only=True)
class ReaderSpec(Spec):
    """What a reader says about itself before its code is imported.

    Parameters
    ----------
    task : str or None
        The task whose batches it makes; None if it serves all tasks whose items are table rows.
    other_tasks : tuple of str
        Tasks that it serves in addition to those whose `TaskSpec` declares `rows`.
    detect : str, optional
        Import string of a function ``detect(files)`` that detects files of this reader. It receives
        paths, or tables in memory if the reader accepts them, and returns
        `Detected`, or None for other files.
    pairs : str, optional
        Where a function is that makes a batch of two sides in memory,
        ``pairs(groundtruths, predictions)``; it returns None for what is not of its task.
    """

    kind: ClassVar[str] = "reader"

    task: str | None
    other_tasks: tuple[str, ...] = ()
    detect: str | None = field(default=None, validator=optional(place_form))
    pairs: str | None = field(default=None, validator=optional(place_form))

    def serves(self, task: TaskSpec) -> bool:
        """Whether it makes batches of a task."""
        if self.task is not None:
            return self.task == task.short_name
        return task.rows is not None or task.short_name in self.other_tasks


@frozen(kw_only=True)
class ResourceSpec(Spec):
    """What a resource (a judge, a tokenizer, a cache) says before it is opened.

    The implementation is called with its parameters, once per process, and what it returns is
    handed to the metrics that ask for it; a ``close`` method, if there is one, is called at the
    end. It must be safe to use from several threads.

    Parameters
    ----------
    identity : tuple of str, optional
        Parameters that can change a number, or properties made of them; all parameters unless
        given. The others, such as a budget, a width or a path, may change when a saved state is
        gone on with.
    free : bool
        Whether anybody may open it at no cost, as the conformance kit would.
    divided : tuple of str
        Parameters that are numbers, such as a budget, and hold over all workers of a run together.
    kinds : str, optional
        Key of its section that names a kind, a `ResourceKindSpec`: ``"client"``.
    several_kinds : bool
        Whether its section may name a list of kinds; it is then made with a tuple of them, of one
        too.

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
    """What one of the kinds of a resource, such as a client of a judge, says about itself.

    The implementation is called with its parameters; what it returns is handed to the resource.
    A bare name is looked for in the namespace of the resource, then in all others.

    Parameters
    ----------
    resource : str
        Full name of the resource that it is a kind of, which may be another plugin's.
    identity : tuple of str, optional
        Parameters that can change a number; all of them unless given.
    """

    kind: ClassVar[str] = "resource kind"
    searched_globally: ClassVar[bool] = True

    resource: str = field(validator=name_form("'namespace.name'"))
    identity: tuple[str, ...] | None = None


@frozen(kw_only=True)
class GallerySpec(Spec):
    """What a gallery says about itself before its code is imported.

    The implementation is called with its parameters and makes a `Gallery`.
    The one called ``Gallery`` in a task's namespace is the task's own.

    Parameters
    ----------
    task : str
        The task whose items it draws.
    """

    kind: ClassVar[str] = "gallery"

    task: str


@frozen(kw_only=True)
class EngineSpec(Spec):
    """What an engine, which counts the partitions of a source, says about itself.

    The implementation is called with its parameters and makes an `Engine`. A
    bare name is looked for in all namespaces.
    """

    kind: ClassVar[str] = "engine"
    searched_globally: ClassVar[bool] = True


@frozen(kw_only=True)
class TaskSpec(Spec):
    """What a task says about itself: what its items and its batches are.

    Configs call it by its short name. The implementation is its batch, a class that inherits from
    `valor_core.schemas.Batch`; its ``task`` is the short name.

    Parameters
    ----------
    item : str
        Where the class of its items is, ``"package.module:Item"``.
    rows : str, optional
        Where a function is that makes a batch of a table, a `valor_files.Table`; with it, readers
        of tables serve the task.
    pairs : str, optional
        Where a function is that makes a batch of two sides in memory, as for a `ReaderSpec`.
    examples : str, optional
        Where a function is that makes data sets by name, each a list of batches, for the
        conformance kit.
    arrays : str, optional
        Remedy for arrays passed as items, unless the plugin called like the task declares an
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
        """Raise a `ManifestError` unless items have, and can lack, all fields that a metric reads.

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
        every = (one.name for one in fields(import_object(self.item)))
        known = [name for name in every if name not in _ALWAYS_THERE]
        for name in metric.requires:
            if name not in known:
                raise ManifestError(
                    f"{metric.name}: requires must be among {', '.join(known)}, got {name!r}",
                    did_you_mean(name, known) or REQUIRES_HINT,
                )


@frozen(kw_only=True)
class CommandSpec(Spec):
    """What a command that a plugin adds to ``valor`` says about itself.

    The implementation is a click command, or a function that takes the command's arguments as
    strings and returns its exit code; it is imported when the command is called. The command is
    called by its short name.
    """

    kind: ClassVar[str] = "command"
    searched_globally: ClassVar[bool] = True


@frozen(kw_only=True)
class ArraysSpec(Spec):
    """How a family makes batches of a task from arrays and items.

    The plugin called like the task declares it. The summary is the remedy for arrays that are
    passed as items; the implementation is the function that makes a batch from arrays.

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
}
"""All that a plugin can declare: its hook is called ``valor_`` and the key."""


_S = TypeVar("_S", bound=Spec)


class Specs(tuple[_S, ...]):
    """Specs of one kind from one namespace, found by any of their names."""

    @cached_property
    def by_name(self) -> Mapping[str, _S]:
        """Each spec by its name and its aliases, as `fold` has them."""
        words = [(word, spec) for spec in self for word in (*spec.aliases, spec.short_name)]
        return {fold(word): spec for word, spec in words}


def import_object(place: str) -> Any:
    """What stands at ``"package.module:name"``."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _distribution_of(namespace: str) -> str:
    found = [claim.distribution for claim in claims() if claim.namespace == namespace]
    return found[0] if len(found) == 1 else OWNERS.get(namespace, f"valor-{namespace}")
