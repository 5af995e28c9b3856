"""Registry of metrics, readers and other plugin components; resolves names lazily.

Entry points are read as metadata. Looking up a name imports the manifest of its namespace, and
making a metric imports its code. A broken plugin raises errors for its namespace only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from attrs import define, field

from valor_core.errors import (
    AmbiguousNameError,
    ManifestError,
    MissingPluginError,
    PluginConflictError,
    RegistryError,
    UnknownNameError,
    VersionPinError,
    did_you_mean,
    short_repr,
)
from valor_core.packages import OWNERS, RENAMED, rescan, ways
from valor_core.specs.extensions import Claim, claims, unread
from valor_core.specs.manifest import Manifest, load_manifest, read_manifest
from valor_core.specs.names import folded_name, split_name
from valor_core.specs.query import OWN_NAMESPACE, NameQuery
from valor_core.specs.spec import (
    ArraysSpec,
    MetricSpec,
    ResourceKindSpec,
    ResourceSpec,
    Spec,
    TaskSpec,
)

_S = TypeVar("_S", bound=Spec)
_T = TypeVar("_T")

_LOOK_AROUND = (
    "See what is available with: valor list\nFiles with custom metrics are listed in a config "
    "under the key: modules"
)

DECORATED: WeakValueDictionary[str, MetricSpec] = WeakValueDictionary()
"""Decorated metrics of this process by normalized name; the last of each name wins."""

REGISTERED: dict[str, Manifest] = {}
"""Manifests registered in this process by namespace; the last of each namespace wins."""

_IN_PROCESS = ("in process", "0")
"""Distribution name and version of specs added in this process."""


@define
class Registry:
    """Specs of the installed plugins by name.

    Registries are independent of each other. If a name is not found, the registry rescans the
    installed distributions and tries again. Manifests are imported once per registry.

    Parameters
    ----------
    choose : mapping of str to str, optional
        Distribution to use for a namespace that several distributions claim.

    Examples
    --------
    >>> "core" in Registry().namespaces
    True
    """

    choose: Mapping[str, str] = field(factory=dict)
    _manifests: dict[str, Manifest] = field(init=False, factory=dict, repr=False)
    _failures: dict[str, RegistryError] = field(init=False, factory=dict, repr=False)
    _cache: dict[Any, Any] = field(init=False, factory=dict, repr=False, eq=False)

    def _claims(self, namespace: str) -> tuple[Claim, ...]:
        return tuple([claim for claim in claims() if claim.namespace == namespace])

    def _keep(self, namespace: str, manifest: Manifest) -> None:
        # Replaced, not mutated: another thread may copy an evaluator with this registry.
        self._manifests = {**self._manifests, namespace: manifest}

    def _has(self, namespace: str) -> bool:
        return namespace in self._manifests or bool(self._claims(namespace))

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Namespaces of installed and registered plugins, sorted."""
        return tuple(sorted({*(claim.namespace for claim in claims()), *self._manifests}))

    @property
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """Claims of the installed distributions by namespace."""
        return {name: self._claims(name) for name in sorted({one.namespace for one in claims()})}

    def add(self, spec: MetricSpec) -> None:
        """Add a decorated metric; raise a `PluginConflictError` if another one has its name."""
        space = spec.namespace
        manifest = self.manifest(space) if self._has(space) else Manifest(space, *_IN_PROCESS)
        other = manifest.of(MetricSpec).by_name.get(folded_name(spec.short_name))
        if other is None:
            self._keep(space, manifest.joined_by(spec, MetricSpec))
        elif other != spec:
            raise PluginConflictError(f"{spec.name}: the name is already declared")

    def register(
        self,
        namespace: str,
        manifest: object,
        distribution: str = "in process",
        version: str = "0",
    ) -> None:
        """Add a manifest without an entry point: a module or an object with hooks.

        Parameters
        ----------
        namespace : str
            Namespace of all names that it declares.
        manifest : object
            The module or object.
        distribution, version : str
            Name and version in lists and errors, such as those of a file.

        Raises
        ------
        PluginConflictError
            If the namespace is already registered.
        ManifestError
            If a hook has a wrong signature or declares a name of another namespace.
        """
        if self._has(namespace):
            raise PluginConflictError(
                f"{namespace}: the namespace is already in use",
                "Choose another; see those in use with: valor list",
            )
        claim = Claim(namespace, "", distribution, version)
        REGISTERED[namespace] = read_manifest(claim, manifest)
        self._keep(namespace, REGISTERED[namespace])

    @classmethod
    def of_process(cls) -> Registry:
        """Return a registry that also has the manifests registered with others in this process."""
        registry = cls()
        registry._manifests = {**REGISTERED}
        return registry

    def manifest(self, namespace: str) -> Manifest:
        """Return the manifest of a namespace; import it on first use.

        Raises
        ------
        MissingPluginError, UnknownNameError
            If no installed plugin claims the namespace.
        PluginConflictError
            If several claim it.
        BrokenPluginError, ManifestError
            If the manifest cannot be imported or is invalid.
        """
        if namespace in self._failures:
            raise self._failures[namespace]
        if namespace not in self._manifests:
            try:
                self._keep(namespace, load_manifest(self._owner(namespace)))
            except RegistryError as error:
                self._failures = {**self._failures, namespace: error}
                raise
        return self._manifests[namespace]

    def metric(self, name: str, task: str | None = None) -> MetricSpec:
        """Return the spec of a metric for a task; see `find` for names."""
        return self.find(MetricSpec, name, task).for_task(task)

    def find(self, kind: type[_S], name: str, task: str | None = None) -> _S:
        """Return the spec with a name.

        Parameters
        ----------
        kind : type
            Class of the spec: `MetricSpec`, `ReaderSpec` and so on.
        name : str
            ``"namespace.Name"``, or a bare name, which is searched in the namespaces of the task
            and of core first, and then in all namespaces. There, metrics and readers must support
            the task. Case, ``_`` and ``-`` are ignored, and aliases match. ``@version`` after
            the full name of a metric asserts its version. An unknown name in a namespace resolves
            to the metric there that has a `name_parameter`.
        task : str, optional
            Namespace of bare names.

        Raises
        ------
        UnknownNameError, AmbiguousNameError, VersionPinError
            If no spec, several specs or another version match.

        Examples
        --------
        >>> from valor_core.specs.spec import EngineSpec
        >>> Registry().find(EngineSpec, "local").name
        'core.local'
        """
        resolve = partial(self._resolved, kind, RENAMED.get(name, name), task)
        return self._cached((kind, name, task), resolve)

    def _resolved(self, kind: type[_S], name: str, task: str | None) -> _S:
        full, at, pin = name.rpartition("@")
        spec = self._declared(kind, full) if at and pin.isdecimal() else None
        if not isinstance(spec, MetricSpec):
            return self._find(NameQuery(kind, name, task))
        if pin != str(spec.version):
            raise VersionPinError(
                f"metric {name!r}: expected version {pin}, the installed one is {spec.version}",
                f"Install the version of {self.distribution(spec)[0]} that has it, "
                f"or write {spec.identity!r}.",
            )
        return spec

    def _declared(self, kind: type[_S], full: str) -> _S | None:
        """Return the spec with exactly this full name, or None."""
        namespace, short = split_name(full)
        if namespace:
            self._add_decorated(namespace, short)
        if not self._has(namespace):
            return None
        spec = self.manifest(namespace).of(kind).by_name.get(folded_name(short))
        return spec if spec is not None and spec.name == full else None

    def resource_kind(self, name: str, resource: ResourceSpec) -> ResourceKindSpec:
        """Return the spec of a resource kind.

        Parameters
        ----------
        name : str
            Full name, or bare name, which is searched in the namespace of the resource first.
        resource : ResourceSpec
            The resource.

        Raises
        ------
        UnknownNameError, AmbiguousNameError
            If no kind or several kinds match.
        """
        home = resource.namespace
        return self._find(NameQuery(ResourceKindSpec, name, home, resource.name))

    def batch_class(self, task: str) -> Any:
        """Return the batch class of a task.

        Raises
        ------
        UnknownNameError
            If no plugin declares such a task.
        ManifestError
            If the implementation is not a batch class.

        Examples
        --------
        >>> Registry().batch_class("text").__name__
        'TextBatch'
        """
        spec = self.find(TaskSpec, task)
        found = spec.load()
        if not (isinstance(found, type) and hasattr(found, "of") and hasattr(found, "select")):
            raise ManifestError(
                f"{spec.name}: expected a class of valor_core.schemas.Batch as implementation, got "
                f"{short_repr(found)}",
                "Inherit from it: class MyBatch(Batch).",
            )
        return found

    def arrays(self, task: str) -> ArraysSpec | None:
        """Return the `ArraysSpec` of the plugin with the task's name, or None."""
        try:
            declared = self.manifest(task).of(ArraysSpec) if self._has(task) else ()
        except RegistryError:  # metrics of other plugins can still evaluate items of the task
            return None
        return next((spec for spec in declared if spec.task == task), None)

    def arrays_remedy(self, task: str) -> str | None:
        """Remedy for arrays passed as items of a task."""
        spec = self.arrays(task)
        return self.find(TaskSpec, task).arrays if spec is None else spec.summary

    def batch_maker(self, task: str) -> Callable[[Any], Any]:
        """Return the function that makes a batch from items of a task."""
        spec = self.arrays(task)
        if spec is None or spec.items is None:
            default: Callable[[Any], Any] = self.batch_class(task).of
            return default
        make: Callable[[Any], Any] = spec.load(spec.items)
        return make

    def knows_task(self, task: str) -> bool:
        """Return whether a plugin declares a task with exactly this name."""
        try:
            spec = self.find(TaskSpec, task)
        except UnknownNameError:
            return False
        return task in (spec.short_name, spec.name)

    def all(self, kind: type[_S]) -> list[_S]:
        """Return all specs of a kind, sorted by name; `failures` has the broken plugins."""
        return list(self._specs_of(kind))

    def metrics_of(self, task: str | None) -> list[MetricSpec]:
        """Return the metrics of a task, or all metrics without a task."""
        return [
            spec
            for spec in self._specs_of(MetricSpec)
            if task is None or spec.task == task or task in spec.other_tasks
        ]

    def failures(self) -> Mapping[str, RegistryError]:
        """Import all manifests and return the errors of broken plugins by namespace."""
        self._specs_of(MetricSpec)
        return dict(self._failures)

    @property
    def where_to_look(self) -> str:
        """Remedy for a name without a similar one."""
        has_metrics = bool(self._specs_of(MetricSpec))
        return "See what is available with: valor list" if has_metrics else install_metrics()

    def distribution(self, spec: Spec) -> tuple[str, str]:
        """Return name and version of the distribution that declares a spec."""
        manifest = self.manifest(spec.namespace)
        if spec.name in manifest.in_process and self._claims(spec.namespace):
            return _IN_PROCESS
        return manifest.distribution, manifest.version

    def _find(self, query: NameQuery[_S]) -> _S:
        try:
            return self._search(query)
        except UnknownNameError:
            if not rescan():
                raise
        return self._search(query)

    def _search(self, query: NameQuery[_S]) -> _S:
        namespace, short = split_name(query.name)
        if not namespace:
            return self._find_bare(query)
        if query.kind is MetricSpec:
            self._add_decorated(namespace, short)
        space = self._namespace(namespace, str(query))
        specs = self.manifest(space).of(query.kind).by_name
        spec = specs.get(folded_name(short)) or _with_name_parameter(specs.values())
        if spec is None:
            remedy = (
                query.as_written(specs.values())
                or query.sought(specs.values())
                or query.closest([spec.name for spec in specs.values()])
            )
            raise UnknownNameError(
                f"{query}: not declared by the plugin '{space}'", remedy or query.listing
            )
        if not query.is_kind(spec):
            raise UnknownNameError(
                f"{query}: expected a kind of {query.resource}, found one of "
                f"{getattr(spec, 'resource', None)}",
                query.listing,
            )
        return spec

    def _add_decorated(self, namespace: str, short: str) -> None:
        """Add a decorated metric, unless a plugin declares its name."""
        spec = DECORATED.get(folded_name(f"{namespace}.{short}"))
        if spec is None:
            return
        has = self._has(spec.namespace) and self.manifest(spec.namespace).of(MetricSpec).by_name
        if not has or folded_name(spec.short_name) not in has:
            self.add(spec)

    def _namespace(self, name: str, label: str) -> str:
        """Return the namespace with a name; errors begin with the label."""
        if self._has(name):
            return name
        spaces = [space for space in self.namespaces if folded_name(space) == folded_name(name)]
        if not spaces:
            raise self._unknown_namespace(name, label)
        if len(spaces) > 1:
            raise AmbiguousNameError(
                f"{label}: the namespaces {' and '.join(spaces)} both match",
                "Write the namespace exactly.",
            )
        return spaces[0]

    def at_home(self, query: NameQuery[_S]) -> _S | None:
        """Return the spec of a bare name in the namespaces searched first, or None."""
        for home in self.homes(query):
            spec = self.manifest(home).of(query.kind).by_name.get(folded_name(query.name))
            if spec is not None and query.is_kind(spec):
                return spec
        return None

    def _find_bare(self, query: NameQuery[_S]) -> _S:
        task = query.home
        spec = self.at_home(query)
        if spec is not None:
            return spec
        named = [spec for spec in self._specs_of(query.kind) if query.names(spec)]
        supporting = self.elsewhere(query)
        if len(supporting) == 1 and query.accepts_only_match:
            return supporting[0]
        if supporting and (task is None or query.accepts_only_match):
            raise query.ambiguous(supporting)
        is_unclaimed = task is not None and not (self._has(task) or self._declares(task))
        if task and is_unclaimed and not supporting and not query.kind.searched_globally:
            raise self._unknown_namespace(task, str(query))
        raise UnknownNameError(f"{query}: unknown{query.where}", self._nearest(query, named))

    def elsewhere(self, query: NameQuery[_S]) -> list[_S]:
        """Return the specs of all namespaces that have a bare name and support the task.

        Empty if an alias of a metric in the namespaces searched first has the name.
        """
        serving = [spec for spec in self._specs_of(query.kind) if query.serves(spec)]
        named = [spec for spec in serving if query.names(spec)]
        if named and query.kind is MetricSpec and query.home is not None:
            homes = self.homes(query)
            at_home = [spec for spec in serving if spec.namespace in homes]
            return [] if any(query.meanings(at_home)) else named
        return named

    def homes(self, query: NameQuery[_S]) -> list[str]:
        """Return the namespaces in which a bare name is searched first.

        These are the namespace with the task's name, core, and the plugin that declares a task
        with another name than its own.
        """
        homes = list(filter(self._has, query.homes))
        if query.home is None or query.kind.searched_globally or query.home in homes:
            return homes
        declaring = self._declares(query.home)
        return homes + declaring if len(declaring) == 1 else homes

    def _declares(self, task: str) -> list[str]:
        """Return the namespaces other than core that declare a task."""
        specs = [spec for spec in self._specs_of(TaskSpec) if spec.short_name == task]
        return [spec.namespace for spec in specs if spec.namespace != OWN_NAMESPACE]

    def _nearest(self, query: NameQuery[_S], named: Sequence[_S]) -> str:
        """Return the remedy for an unknown bare name."""
        for spec in sorted(named, key=query.serves, reverse=True):
            if query.serves(spec):
                return f"Did you mean {spec.name!r}?"
            if isinstance(spec, ResourceKindSpec):
                return f"{spec.name!r} is a kind of {spec.resource}."
            tasks = getattr(spec, "tasks", (getattr(spec, "task", None),))
            return f"{spec.name!r} is for the task {' or '.join(map(str, tasks))}."
        specs = [spec for spec in self._specs_of(query.kind) if query.serves(spec)]
        words = sorted({word for spec in specs for word in query.words(spec)})
        found = unread(query.plural, query.name) or query.as_written(specs) or self._pinned(query)
        found = found or query.sought(specs)
        found = found or query.closest(words)
        return found or (self.where_to_look if query.kind is MetricSpec else query.choices(specs))

    def _pinned(self, query: NameQuery[_S]) -> str | None:
        """Return the remedy for a version after a bare name, or None."""
        bare, _, pin = query.name.rpartition("@")
        spec = self.at_home(NameQuery(query.kind, bare, query.home)) if pin.isdecimal() else None
        return f"Write the version after the full name: {spec.name}@{pin}" if spec else None

    def _specs_of(self, kind: type[_S]) -> tuple[_S, ...]:
        """Return the specs of a kind from all working plugins by name; cached."""
        return self._cached(kind, partial(self._listed, kind))

    def _listed(self, kind: type[_S]) -> tuple[_S, ...]:
        listed: list[_S] = []
        for namespace in self.namespaces:
            try:
                listed.extend(self.manifest(namespace).of(kind))
            except RegistryError:
                continue
        return tuple(sorted(listed, key=attrgetter("name")))

    def _cached(self, key: Any, find: Callable[[], _T]) -> _T:
        """Return the value cached with the same plugins and manifests, or find it."""
        plugins, cached = claims(), self._cache.get(key)
        if cached and cached[1] is self._manifests and cached[0] is plugins:
            found: _T = cached[2]
            return found
        found = find()
        self._cache = {**self._cache, key: (plugins, self._manifests, found)}
        return found

    def _unknown_namespace(self, namespace: str, label: str) -> UnknownNameError:
        owner = OWNERS.get(folded_name(namespace))
        if owner is not None and not self._has(folded_name(namespace)):
            return MissingPluginError(
                f"{label}: the plugin '{folded_name(namespace)}' is not installed",
                f"Install it with: {ways(owner)}",
            )
        return UnknownNameError(
            f"{label}: no installed plugin claims the namespace {namespace!r}",
            did_you_mean(namespace, [*self.namespaces, *OWNERS]) or _LOOK_AROUND,
        )

    def _owner(self, namespace: str) -> Claim:
        found = self._claims(namespace)
        if not found:
            raise self._unknown_namespace(namespace, f"namespace {namespace!r}")
        if len(found) == 1:
            return found[0]
        preferred = folded_name(self.choose.get(namespace, ""))
        chosen = [claim for claim in found if folded_name(claim.distribution) == preferred]
        if len(chosen) == 1:
            return chosen[0]
        names = " and ".join(sorted(map(str, found)))
        first = min(claim.distribution for claim in found)
        raise PluginConflictError(
            f"namespace {namespace!r}: expected one plugin, {names} claim it",
            f"Uninstall one of them, or choose in the config: plugins: {{{namespace}: {first}}}",
        )


def _with_name_parameter(specs: Iterable[_S]) -> _S | None:
    """Return the metric with a `name_parameter`, which resolves unknown names, or None."""
    for spec in specs:
        if isinstance(spec, MetricSpec) and spec.name_parameter:
            return spec
    return None


def install_metrics() -> str:
    """Return the remedy if no metrics are installed."""
    return f"Install some metrics with: {ways(min(OWNERS.values(), default='valor-core'))}"
