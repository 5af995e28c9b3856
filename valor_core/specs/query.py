"""Wanted: a name that a registry looks for, and what it may mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from valor_core.errors import AmbiguousNameError, did_you_mean
from valor_core.packages import SHARED_READERS
from valor_core.specs.names import fold, in_config, is_misspelling, split_name
from valor_core.specs.spec import KINDS, MetricSpec, ReaderSpec, ResourceKindSpec, Spec

OWN_NAMESPACE = "core"

_S = TypeVar("_S", bound=Spec)


@frozen(repr=False)
class ResolvedName:
    """What a name says: a metric, and some of its parameters.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    parameters : mapping of str to value
        What the name says of its parameters; empty where it is the metric's own.
    is_clear : bool
        Whether it can mean nothing else.
    """

    spec: MetricSpec
    parameters: Mapping[str, Any] = field(factory=dict)
    is_clear: bool = True

    def __str__(self) -> str:
        return f"{{name: {self.spec.name}, {in_config(self.parameters)}}}"


@frozen(repr=False)
class NameQuery(Generic[_S]):
    """A name that is looked for.

    Parameters
    ----------
    kind : type
        Class of the spec.
    name : str
        Qualified, or bare.
    home : str, optional
        Task or namespace that a bare name is looked for in first.
    resource : str, optional
        Full name of the resource that it is a kind of.

    Examples
    --------
    >>> str(NameQuery(MetricSpec, "F1", "classification"))
    "metric 'F1'"
    """

    kind: type[_S]
    name: str
    home: str | None = None
    resource: str | None = None

    def __str__(self) -> str:
        return f"{self.kind.kind} {self.name!r}"

    @property
    def homes(self) -> tuple[str, ...]:
        """Namespaces that a bare name is looked for in first."""
        shared = [SHARED_READERS] if self.kind is ReaderSpec else []
        return tuple(dict.fromkeys([*([self.home] if self.home else []), OWN_NAMESPACE, *shared]))

    @property
    def where(self) -> str:
        """Where it was looked for, in words."""
        if self.resource is not None:
            return f" to {self.resource}"
        return (
            f" in the task '{self.home}'" if self.home and not self.kind.searched_globally else ""
        )

    @property
    def listing(self) -> str:
        """Remedy that shows all of the kind."""
        kinds = next(kinds for kinds, kind in KINDS.items() if issubclass(self.kind, kind))
        option = "" if self.kind is MetricSpec else f" --{kinds.replace('_', '-')}"
        return f"See what is there with: valor list{option}"

    def names(self, spec: Spec) -> bool:
        """Whether a spec answers to the bare name."""
        return fold(self.name) in map(fold, (spec.short_name, *spec.aliases))

    def is_kind(self, spec: Spec) -> bool:
        """Whether a spec is a kind of the resource, if one was asked for."""
        if self.resource is None:
            return True
        return isinstance(spec, ResourceKindSpec) and spec.resource == self.resource

    def serves(self, spec: Spec) -> bool:
        """Whether a spec can be used at home, as far as it says."""
        task = getattr(spec, "task", None)
        tasks = spec.tasks if isinstance(spec, MetricSpec) else (task,)
        fits = self.home is None or task is None or self.home in tasks
        return fits and self.is_kind(spec)

    def words(self, spec: Spec) -> tuple[str, ...]:
        """How a spec can be written here."""
        is_bare = self.kind.searched_globally or spec.namespace in self.homes
        return (spec.short_name, *spec.aliases) if is_bare else (spec.name,)

    def ambiguous(self, found: Sequence[Spec]) -> AmbiguousNameError:
        """What to raise where several specs answer to the bare name."""
        names = " or ".join(repr(spec.name) for spec in found)
        if not self.kind.searched_globally:
            return AmbiguousNameError(
                f"{self}: a bare name needs a task to be looked for in",
                f"Write {names}, or set the task.",
            )
        several = " and ".join(spec.name for spec in found)
        return AmbiguousNameError(
            f"{self}: expected one of this name, found {several}", f"Write {names}."
        )

    def closest(self, words: Iterable[str]) -> str | None:
        """Remedy line with the names of which this is a misspelling, or None.

        A metric's name must begin with this one or differ by a typing error: suggesting another
        metric of a similar name would be wrong.

        Examples
        --------
        >>> NameQuery(MetricSpec, "Acuracy").closest(["Accuracy", "F1"])
        "Did you mean 'Accuracy'?"
        >>> NameQuery(MetricSpec, "IDF1").closest(["Accuracy", "F1"]) is None
        True
        """
        if self.kind is MetricSpec:
            alike = [word for word in words if is_misspelling(self.name, word)]
            return did_you_mean(self.name, alike, cutoff=0)
        return did_you_mean(self.name, words)

    def sought(self, specs: Iterable[Spec]) -> str | None:
        """Remedy line with the metrics among some that people look for by this name."""
        bare = fold(split_name(self.name)[1])
        found = [
            spec.name
            for spec in specs
            if isinstance(spec, MetricSpec) and bare in map(fold, spec.related_names)
        ]
        return f"Valor has its parts: {', '.join(found)}" if found else None

    def meanings(self, specs: Iterable[Spec]) -> Iterator[ResolvedName]:
        """The metrics among some that people know by this name, with what it says of them."""
        bare = split_name(self.name)[1]
        for spec in specs:
            if not isinstance(spec, MetricSpec):
                continue
            for known in spec.parameter_aliases:
                parameters = known.meaning(bare)
                if parameters is not None:
                    yield ResolvedName(spec, parameters, known.is_clear)

    def as_written(self, specs: Iterable[Spec]) -> str | None:
        """How the metrics among some are written that people know by this name."""
        found = list(dict.fromkeys(map(str, self.meanings(specs))))
        return f"Write it as: {' or '.join(found)}" if found else None
