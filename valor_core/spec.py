"""Specs: what a metric, reader, resource or gallery says before its code is imported."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pickle import PicklingError
from typing import Any, TypeVar

from attrs import field, frozen

from valor_core.errors import ManifestError, shown
from valor_core.parameters import NoParameters, build

_NAME = re.compile(r"[a-z][a-z0-9_]*\.[A-Za-z][A-Za-z0-9_]*")
IMPLEMENTATION = re.compile(r"[\w.]+:[\w.]+")


def fold(name: str) -> str:
    """The form in which names are compared: case, ``_`` and ``-`` do not matter.

    Examples
    --------
    >>> fold("Average-Precision") == fold("average_precision")
    True
    """
    return name.casefold().replace("_", "").replace("-", "")


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


def _matches(pattern: re.Pattern[str], form: str) -> Any:
    def check(spec: Any, attribute: Any, value: object) -> None:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise ManifestError(
                f"{type(spec).__name__}: {attribute.name} must look like {form}, got {shown(value)}"
            )

    return check


@frozen(kw_only=True)
class Spec:
    """What every declared thing has: a name in a namespace, a summary, parameters and code.

    Parameters
    ----------
    name : str
        Namespace and name, ``"classification.ROCAUC"``.
    summary : str
        What it is, in one line.
    parameters : type
        Its parameter class; `NoParameters` where there are none.
    implementation : str
        Where its code is, ``"package.module:name"``; imported when first used.
    aliases : tuple of str
        Other names in the same namespace.
    extra : str, optional
        Extra of its distribution that brings what the code needs, ``"parquet"``.
    """

    name: str = field(validator=_matches(_NAME, "'namespace.Name'"))
    summary: str
    parameters: type = NoParameters
    implementation: str = field(validator=_matches(IMPLEMENTATION, "'package.module:name'"))
    aliases: tuple[str, ...] = ()
    extra: str | None = None

    @property
    def namespace(self) -> str:
        """The part of the name before the dot: the entry point that declares it."""
        return self.name.partition(".")[0]

    @property
    def short_name(self) -> str:
        """The part of the name after the dot."""
        return self.name.partition(".")[2]


@frozen(kw_only=True)
class MetricSpec(Spec):
    """What a metric says about itself before its code is imported.

    Parameters
    ----------
    task : str
        Which batches it reads: ``"classification"``, ``"detection"``, ``"segmentation"``,
        ``"text"``.
    higher_is_better : bool or None
        Its direction; None for a count, a matrix or a curve.
    range : Range
        Where its numbers lie.
    references : tuple of Reference
        What defines it.
    version : int
        Raised when any input can give another number.
    per_item : bool
        Whether the implementation scores one item at a time,
        ``score(item, parameters, resources)``, instead of being a class that reads a state.
    resources : tuple of str
        Names of the resources that it asks for.
    written_as : tuple of (str, str)
        Names that others give it with some of its parameters, and these as a config writes
        them: ``("balanced_accuracy_score", "balanced: true")``. They are answered with that.

    Examples
    --------
    >>> spec = MetricSpec(
    ...     name="mylab.Length",
    ...     task="text",
    ...     summary="Mean number of characters in a response",
    ...     implementation="mylab.length:score",
    ...     higher_is_better=None,
    ...     range=Range(0),
    ...     per_item=True,
    ... )
    >>> spec.namespace, spec.short_name, spec.identity
    ('mylab', 'Length', 'mylab.Length@1')
    """

    task: str
    higher_is_better: bool | None
    range: Range
    references: tuple[Reference, ...] = ()
    version: int = 1
    per_item: bool = False
    resources: tuple[str, ...] = ()
    written_as: tuple[tuple[str, str], ...] = ()

    @property
    def identity(self) -> str:
        """Name and version, as a report records them."""
        return f"{self.name}@{self.version}"


@frozen(kw_only=True)
class ReaderSpec(Spec):
    """What a reader says about itself before its code is imported.

    Parameters
    ----------
    task : str or None
        The task whose batches it makes; None where it serves any task with a plain table.
    """

    task: str | None


@frozen(kw_only=True)
class ResourceSpec(Spec):
    """What a resource (a judge, a tokenizer, a cache) says before it is opened.

    The implementation is called with its parameters, once per process, and what it returns is
    handed to the metrics that ask for it; a ``close`` method, if there is one, is called at the
    end. It must be safe to use from several threads.
    """


@frozen(kw_only=True)
class GallerySpec(Spec):
    """What a gallery says about itself before its code is imported.

    The implementation is called with its parameters and makes a `valor_core.gallery.Gallery`.
    The one called ``Gallery`` in a task's namespace is the task's own.

    Parameters
    ----------
    task : str
        The task whose items it draws.
    """

    task: str


S = TypeVar("S", bound=Spec)


class Specs(tuple[S, ...]):
    """Specs of one kind from one namespace, found by any of their names."""

    @cached_property
    def by_name(self) -> Mapping[str, S]:
        """Each spec by its name and its aliases, as `fold` has them."""
        words = [(word, spec) for spec in self for word in (*spec.aliases, spec.short_name)]
        return {fold(word): spec for word, spec in words}


def by_reference(implementation: str) -> Any:
    """What stands at ``"package.module:name"``."""
    module, _, name = implementation.partition(":")
    return getattr(importlib.import_module(module), name)


@frozen(kw_only=True)
class FunctionMetricSpec(MetricSpec):
    """A per-item metric that the decorator made from a function; pickled by its place.

    Called with an item and the function's arguments, it answers as the function does.

    Parameters
    ----------
    score : callable
        ``score(item, parameters, resources)``.
    """

    score: Callable[..., Any] = field(repr=False, eq=False)

    def __call__(self, item: Any, **arguments: Any) -> Any:
        """What the function says of an item; unlike it, it checks the arguments.

        Raises
        ------
        ParameterError
            If an argument is unknown or missing, or its value does not fit.
        """
        parameters: Any = build(self.parameters, arguments, f"{self.name}: ")
        return self.score(item, parameters, {})

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            found = by_reference(self.implementation)
        except (ImportError, AttributeError):
            found = None
        if found is not self:
            raise PicklingError(
                f"{self.name}: expected the metric at {self.implementation}, where other "
                "processes look for it"
            )
        return by_reference, (self.implementation,)
