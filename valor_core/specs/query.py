"""Queries of names, and metrics that names resolve to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from valor_core.errors import AmbiguousNameError, did_you_mean
from valor_core.packages import SHARED_READERS
from valor_core.specs.names import folded_name, in_config, is_misspelling, split_name
from valor_core.specs.spec import KINDS, MetricSpec, ReaderSpec, ResourceKindSpec, Spec

OWN_NAMESPACE = "core"
_FEW = 4
"""Number of names that are short to read."""

_S = TypeVar("_S", bound=Spec)


@frozen(repr=False)
class ResolvedName:
    """Metric and parameters that a name resolves to.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    parameters : mapping of str to value
        Parameters that the name sets.
    is_clear : bool
        Whether the name is unambiguous.
    """

    spec: MetricSpec
    parameters: Mapping[str, Any] = field(factory=dict)
    is_clear: bool = True

    def __str__(self) -> str:
        return f"{{name: {self.spec.name}, {in_config(self.parameters)}}}"


@frozen(repr=False)
class NameQuery(Generic[_S]):
    """Query for a name in a registry.

    Parameters
    ----------
    kind : type
        Class of the spec.
    name : str
        Full or bare name.
    home : str, optional
        Task or namespace in which a bare name is searched first.
    resource : str, optional
        Full name of the resource, for kinds of resources.

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
        """Namespaces in which a bare name is searched first."""
        shared = [SHARED_READERS] if self.kind is ReaderSpec else []
        return tuple(dict.fromkeys([*([self.home] if self.home else []), OWN_NAMESPACE, *shared]))

    @property
    def accepts_only_match(self) -> bool:
        """True if a bare name resolves to the only match of all other namespaces.

        Metrics require a task: data of another task has other metrics of the same name.
        """
        if self.kind is MetricSpec:
            return self.home is not None
        return self.kind is ReaderSpec or self.kind.searched_globally

    @property
    def where(self) -> str:
        """Searched task or resource, for messages."""
        if self.resource is not None:
            return f" to {self.resource}"
        return (
            f" in the task '{self.home}'" if self.home and not self.kind.searched_globally else ""
        )

    @property
    def plural(self) -> str:
        """Plural of the kind, such as ``"metrics"``."""
        return next(kinds for kinds, kind in KINDS.items() if issubclass(self.kind, kind))

    @property
    def listing(self) -> str:
        """Remedy that lists all specs of the kind."""
        option = "" if self.kind is MetricSpec else f" --{self.plural.replace('_', '-')}"
        return f"See what is available with: valor list{option}"

    def choices(self, specs: Sequence[Spec]) -> str:
        """Return the remedy that names all specs of the kind, if they are few."""
        listed = " or ".join(spec.short_name for spec in specs[: _FEW + 1])
        return f"Choose {listed}." if 0 < len(specs) <= _FEW else self.listing

    def names(self, spec: Spec) -> bool:
        """Return whether a spec has the bare name or alias."""
        return folded_name(self.name) in map(folded_name, (spec.short_name, *spec.aliases))

    def is_kind(self, spec: Spec) -> bool:
        """Return whether a spec is a kind of the queried resource, if any."""
        if self.resource is None:
            return True
        return isinstance(spec, ResourceKindSpec) and spec.resource == self.resource

    def serves(self, spec: Spec) -> bool:
        """Return whether a spec supports the task."""
        task = getattr(spec, "task", None)
        tasks = spec.tasks if isinstance(spec, MetricSpec) else (task,)
        fits = self.home is None or task is None or self.home in tasks
        return fits and self.is_kind(spec)

    def words(self, spec: Spec) -> tuple[str, ...]:
        """Return the names by which the query could find a spec."""
        is_bare = self.kind.searched_globally or spec.namespace in self.homes
        return (spec.short_name, *spec.aliases) if is_bare else (spec.name,)

    def ambiguous(self, found: Sequence[Spec]) -> AmbiguousNameError:
        """Return the error for a bare name that several specs have."""
        names = " or ".join(repr(spec.name) for spec in found)
        if self.home is None and not self.kind.searched_globally:
            return AmbiguousNameError(
                f"{self}: a bare name needs a task",
                f"Write {names}, or set the task.",
            )
        listed = " and ".join(spec.name for spec in found)
        return AmbiguousNameError(
            f"{self}: expected one of this name, found {listed}", f"Write {names}."
        )

    def closest(self, words: Iterable[str]) -> str | None:
        """Return a remedy with the names that this may be a misspelling of, or None.

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
        """Return a remedy with the metrics whose `related_names` contain the name, or None."""
        bare = folded_name(split_name(self.name)[1])
        found = [
            spec.name
            for spec in specs
            if isinstance(spec, MetricSpec) and bare in map(folded_name, spec.related_names)
        ]
        return f"Valor has its parts: {', '.join(found)}" if found else None

    def meanings(self, specs: Iterable[Spec]) -> Iterator[ResolvedName]:
        """Yield the metrics with a matching `ParameterAlias`, and the parameters that it sets."""
        bare = split_name(self.name)[1]
        for spec in specs:
            if not isinstance(spec, MetricSpec):
                continue
            for alias in spec.parameter_aliases:
                parameters = alias.meaning(bare)
                if parameters is not None:
                    yield ResolvedName(spec, parameters, alias.is_clear)

    def as_written(self, specs: Iterable[Spec]) -> str | None:
        """Return a remedy that writes matching aliases as names and parameters, or None."""
        found = list(dict.fromkeys(map(str, self.meanings(specs))))
        return f"Write it as: {' or '.join(found)}" if found else None
