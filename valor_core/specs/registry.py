"""Registry of metrics, readers and other plugin components; resolves names lazily.

Entry points are read as metadata. Looking up a name imports the manifest of its namespace, and
making a metric imports its code. The error of a plugin that fails is raised for its namespace only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    shown,
)
from valor_core.packages import OWNERS, RENAMED, rescan, ways
from valor_core.specs.extensions import Claim, claims
from valor_core.specs.manifest import Manifest, load_manifest, read_manifest
from valor_core.specs.names import fold, split_name
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

_LOOK_AROUND = (
    "See what is there with: valor list\nA config names files with metrics of its own "
    "under the key: modules"
)

DECORATED: WeakValueDictionary[str, MetricSpec] = WeakValueDictionary()
"""Metrics that the decorator has made in this process, by folded name.

A notebook may decorate two functions under one name: the later one counts.
"""

_IN_PROCESS = ("in process", "0")
"""Name and version of the distribution of what no distribution declares."""


@define
class Registry:
    """What the installed plugins declare, by name.

    Registries are independent of each other. A name that is not found is looked up again if a
    distribution was installed in the meantime. Manifests are imported once per registry.

    Parameters
    ----------
    choose : mapping of str to str, optional
        Which distribution to use for a namespace that several claim.

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
        # replaced, never changed: another thread may be copying an evaluator that has this one
        self._manifests = {**self._manifests, namespace: manifest}

    def _has(self, namespace: str) -> bool:
        return namespace in self._manifests or bool(self._claims(namespace))

    @property
    def namespaces(self) -> tuple[str, ...]:
        """All namespaces that installed or registered plugins claim, sorted."""
        return tuple(sorted({*(claim.namespace for claim in claims()), *self._manifests}))

    @property
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """For every namespace, the distributions that claim it."""
        return {name: self._claims(name) for name in sorted({one.namespace for one in claims()})}

    def add(self, spec: MetricSpec) -> None:
        """Add a decorated metric; raise a `PluginConflictError` if another one has its name."""
        space = spec.namespace
        manifest = self.manifest(space) if self._has(space) else Manifest(space, *_IN_PROCESS)
        other = manifest.of(MetricSpec).by_name.get(fold(spec.short_name))
        if other is None:
            self._keep(space, manifest.joined_by(spec, MetricSpec))
        elif other != spec:
            raise PluginConflictError(f"{spec.name}: expected a new name, it is declared already")

    def register(self, namespace: str, manifest: object, distribution: str = "in process") -> None:
        """Add a manifest that no entry point announces: a module or an object with hooks.

        Raises
        ------
        PluginConflictError
            If the namespace is taken.
        ManifestError
            If a hook has a wrong signature or declares a foreign name.
        """
        if self._has(namespace):
            raise PluginConflictError(f"{namespace}: expected a free namespace, it is taken")
        claim = Claim(namespace, "", distribution, "0")
        self._keep(namespace, read_manifest(claim, manifest))

    def manifest(self, namespace: str) -> Manifest:
        """What the plugin of a namespace declares; imports its manifest on first use.

        Raises
        ------
        MissingPluginError, UnknownNameError
            If no installed plugin claims the namespace.
        PluginConflictError
            If several do.
        BrokenPluginError, ManifestError
            If the manifest cannot be imported or declares something it may not.
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
        """Spec of the metric with this name, for the task; `find` says what names mean."""
        return self.find(MetricSpec, name, task).for_task(task)

    def find(self, kind: type[_S], name: str, task: str | None = None) -> _S:
        """Spec of the thing of a kind with this name.

        Parameters
        ----------
        kind : type
            Class of the spec: `MetricSpec`, `ReaderSpec` and so on.
        name : str
            ``"namespace.Name"``, or a bare name that is looked for in the namespace called like
            the task and in core's; those of engines, tasks, commands and kinds of resources in
            all others too. ``@version`` after the full name of a metric asserts its version. Case,
            ``_`` and ``-`` do not matter, and aliases count. A name that nothing in its namespace
            has is passed to the metric there that takes names, if there is one.
        task : str, optional
            Namespace of bare names.

        Raises
        ------
        UnknownNameError, AmbiguousNameError, VersionPinError
            With what to write instead.

        Examples
        --------
        >>> from valor_core.specs.spec import EngineSpec
        >>> Registry().find(EngineSpec, "local").name
        'core.local'
        """
        found = self._cached((kind, name, task))
        if found is None:
            found = self._resolved(kind, RENAMED.get(name, name), task)
            self._keep_cached((kind, name, task), found)
        spec: _S = found
        return spec

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
        """Spec of exactly this full name, or None."""
        namespace, short = split_name(full)
        if namespace:
            self._take_decorated(namespace, short)
        if not self._has(namespace):
            return None
        spec = self.manifest(namespace).of(kind).by_name.get(fold(short))
        return spec if spec is not None and spec.name == full else None

    def resource_kind(self, name: str, resource: ResourceSpec) -> ResourceKindSpec:
        """Spec of the kind of a resource with this name.

        Parameters
        ----------
        name : str
            A bare name is looked for in the namespace of the resource, then in all others.
        resource : ResourceSpec
            What it is a kind of.

        Raises
        ------
        UnknownNameError, AmbiguousNameError
            With what to write instead.
        """
        home = resource.namespace
        return self._find(NameQuery(ResourceKindSpec, name, home, resource.name))

    def batch_class(self, task: str) -> Any:
        """The batch of a task.

        Raises
        ------
        UnknownNameError
            If no plugin declares such a task.
        ManifestError
            If what it names is no batch.

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
                f"{shown(found)}",
                "Inherit from it: class MyBatch(Batch).",
            )
        return found

    def arrays(self, task: str) -> ArraysSpec | None:
        """Spec of how arrays become batches of a task, if the plugin called like it has one."""
        try:
            declared = self.manifest(task).of(ArraysSpec) if self._has(task) else ()
        except RegistryError:  # metrics of other plugins evaluate items of the task all the same
            return None
        return next((spec for spec in declared if spec.task == task), None)

    def arrays_remedy(self, task: str) -> str | None:
        """What to do with arrays of a task that are passed as items."""
        spec = self.arrays(task)
        return self.find(TaskSpec, task).arrays if spec is None else spec.summary

    def batch_maker(self, task: str) -> Callable[[Any], Any]:
        """The function that makes a batch of items of a task."""
        spec = self.arrays(task)
        if spec is None or spec.items is None:
            made: Callable[[Any], Any] = self.batch_class(task).of
            return made
        make: Callable[[Any], Any] = spec.load(spec.items)
        return make

    def knows_task(self, task: str) -> bool:
        """Whether somebody declares a task."""
        try:
            return self.find(TaskSpec, task) is not None
        except UnknownNameError:
            return False

    def all(self, kind: type[_S]) -> list[_S]:
        """Everything of a kind, sorted by name; plugins that do not work are in `failures`."""
        return list(self._known(kind))

    def metrics_of(self, task: str | None) -> list[MetricSpec]:
        """All metrics that read batches of a task; all metrics without a task."""
        return [
            spec
            for spec in self._known(MetricSpec)
            if task is None or spec.task == task or task in spec.other_tasks
        ]

    def failures(self) -> Mapping[str, RegistryError]:
        """For every namespace that cannot be used, why; imports all manifests to find out."""
        self._known(MetricSpec)
        return dict(self._failures)

    @property
    def where_to_look(self) -> str:
        """Remedy for a name that nothing comes close to."""
        has_metrics = bool(self._known(MetricSpec))
        return "See what is there with: valor list" if has_metrics else install_metrics()

    def distribution(self, spec: Spec) -> tuple[str, str]:
        """Name and version of the distribution that declares a spec."""
        manifest = self.manifest(spec.namespace)
        if spec.name in manifest.in_process:
            return _IN_PROCESS
        return manifest.distribution, manifest.version

    def _find(self, wanted: NameQuery[_S]) -> _S:
        try:
            return self._search(wanted)
        except UnknownNameError:
            if not rescan():
                raise
        return self._search(wanted)

    def _search(self, wanted: NameQuery[_S]) -> _S:
        namespace, short = split_name(wanted.name)
        if not namespace:
            return self._find_bare(wanted)
        if wanted.kind is MetricSpec:
            self._take_decorated(namespace, short)
        space = self._namespace(namespace, str(wanted))
        known = self.manifest(space).of(wanted.kind).by_name
        spec = known.get(fold(short)) or _taking_names(known.values())
        if spec is None:
            remedy = (
                wanted.as_written(known.values())
                or wanted.sought(known.values())
                or wanted.closest([spec.name for spec in known.values()])
            )
            raise UnknownNameError(
                f"{wanted}: not declared by the plugin '{space}'", remedy or wanted.listing
            )
        if not wanted.is_kind(spec):
            raise UnknownNameError(
                f"{wanted}: expected a kind of {wanted.resource}, found one of "
                f"{getattr(spec, 'resource', None)}",
                wanted.listing,
            )
        return spec

    def _take_decorated(self, namespace: str, short: str) -> None:
        """Add the metric of a name that the decorator has made, unless a plugin has the name."""
        spec = DECORATED.get(fold(f"{namespace}.{short}"))
        if spec is None:
            return
        has = self._has(spec.namespace) and self.manifest(spec.namespace).of(MetricSpec).by_name
        if not has or fold(spec.short_name) not in has:
            self.add(spec)

    def _namespace(self, name: str, wanted: str) -> str:
        """The namespace that a name means, in which something is wanted."""
        if self._has(name):
            return name
        spaces = [known for known in self.namespaces if fold(known) == fold(name)]
        if not spaces:
            raise self._unknown_namespace(name, wanted)
        if len(spaces) > 1:
            raise AmbiguousNameError(
                f"{wanted}: the namespaces {' and '.join(spaces)} both answer to it",
                "Write the namespace exactly.",
            )
        return spaces[0]

    def at_home(self, wanted: NameQuery[_S]) -> _S | None:
        """Spec of a bare name in the namespaces where it is looked for first, or None."""
        for home in self._homes(wanted):
            spec = self.manifest(home).of(wanted.kind).by_name.get(fold(wanted.name))
            if spec is not None and wanted.is_kind(spec):
                return spec
        return None

    def _find_bare(self, wanted: NameQuery[_S]) -> _S:
        task = wanted.home
        spec = self.at_home(wanted)
        if spec is not None:
            return spec
        named = [spec for spec in self._known(wanted.kind) if wanted.names(spec)]
        serving = [spec for spec in named if wanted.serves(spec)]
        if wanted.kind.searched_globally and len(serving) == 1:
            return serving[0]
        if serving and (task is None or wanted.kind.searched_globally):
            raise wanted.ambiguous(serving)
        is_nowhere = task is not None and not (self._has(task) or self._declares(task))
        if task and is_nowhere and not serving and not wanted.kind.searched_globally:
            raise self._unknown_namespace(task, str(wanted))
        raise UnknownNameError(f"{wanted}: unknown{wanted.where}", self._nearest(wanted, named))

    def _homes(self, wanted: NameQuery[_S]) -> list[str]:
        """Namespaces in which a bare name is looked for first.

        They are the one called like the task, core's, and the one that declares a task that no
        plugin is called like.
        """
        homes = list(filter(self._has, wanted.homes))
        if wanted.home is None or wanted.kind.searched_globally or wanted.home in homes:
            return homes
        declaring = self._declares(wanted.home)
        return homes + declaring if len(declaring) == 1 else homes

    def _declares(self, task: str) -> list[str]:
        """The namespaces besides core's that declare a task."""
        specs = [spec for spec in self._known(TaskSpec) if spec.short_name == task]
        return [spec.namespace for spec in specs if spec.namespace != OWN_NAMESPACE]

    def _nearest(self, wanted: NameQuery[_S], named: Sequence[_S]) -> str:
        """Remedy for a bare name that is not found."""
        for spec in sorted(named, key=wanted.serves, reverse=True):
            if wanted.serves(spec):
                return f"Did you mean {spec.name!r}?"
            if isinstance(spec, ResourceKindSpec):
                return f"{spec.name!r} is a kind of {spec.resource}."
            tasks = getattr(spec, "tasks", (getattr(spec, "task", None),))
            return f"{spec.name!r} is for the task {' or '.join(map(str, tasks))}."
        known = [spec for spec in self._known(wanted.kind) if wanted.serves(spec)]
        words = sorted({word for spec in known for word in wanted.words(spec)})
        found = wanted.as_written(known) or self._pinned(wanted) or wanted.sought(known)
        found = found or wanted.closest(words)
        return found or (self.where_to_look if wanted.kind is MetricSpec else wanted.listing)

    def _pinned(self, wanted: NameQuery[_S]) -> str | None:
        """Remedy for a version behind a bare name, which needs the full name."""
        bare, _, pin = wanted.name.rpartition("@")
        spec = self.at_home(NameQuery(wanted.kind, bare, wanted.home)) if pin.isdecimal() else None
        return f"Write a version behind the full name: {spec.name}@{pin}" if spec else None

    def _known(self, kind: type[_S]) -> tuple[_S, ...]:
        """All specs of a kind by name, from the plugins that work; cached until these change."""
        found: tuple[_S, ...] | None = self._cached(kind)
        if found is None:
            listed: list[_S] = []
            for namespace in self.namespaces:
                try:
                    listed.extend(self.manifest(namespace).of(kind))
                except RegistryError:
                    continue
            found = tuple(sorted(listed, key=attrgetter("name")))
            self._keep_cached(kind, found)
        return found

    def _cached(self, key: Any) -> Any:
        """Answer that was found with the same plugins and manifests, or None."""
        cached = self._cache.get(key)
        if cached and cached[1] is self._manifests and cached[0] is claims():
            return cached[2]
        return None

    def _keep_cached(self, key: Any, found: Any) -> None:
        self._cache = {**self._cache, key: (claims(), self._manifests, found)}

    def _unknown_namespace(self, namespace: str, wanted: str) -> UnknownNameError:
        owner = OWNERS.get(fold(namespace))
        if owner is not None:
            return MissingPluginError(
                f"{wanted}: the plugin '{fold(namespace)}' is not installed",
                f"Install it with: {ways(owner)}",
            )
        return UnknownNameError(
            f"{wanted}: no installed plugin claims the namespace {namespace!r}",
            did_you_mean(namespace, [*self.namespaces, *OWNERS]) or _LOOK_AROUND,
        )

    def _owner(self, namespace: str) -> Claim:
        found = self._claims(namespace)
        if not found:
            raise self._unknown_namespace(namespace, f"namespace {namespace!r}")
        if len(found) == 1:
            return found[0]
        wanted = fold(self.choose.get(namespace, ""))
        chosen = [claim for claim in found if fold(claim.distribution) == wanted]
        if len(chosen) == 1:
            return chosen[0]
        names = " and ".join(sorted(map(str, found)))
        first = min(claim.distribution for claim in found)
        raise PluginConflictError(
            f"namespace {namespace!r}: expected one plugin, {names} claim it",
            f"Uninstall one of them, or choose in the config: plugins: {{{namespace}: {first}}}",
        )


def _taking_names(specs: Iterable[_S]) -> _S | None:
    """The metric that takes the names that nothing else has, if there is one."""
    for spec in specs:
        if isinstance(spec, MetricSpec) and spec.name_parameter:
            return spec
    return None


def install_metrics() -> str:
    """What to do where no family of metrics is installed."""
    return f"Install some metrics with: {ways(min(OWNERS.values(), default='valor-core'))}"
