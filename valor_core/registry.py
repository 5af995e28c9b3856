"""Registry: from a name in a config to the code behind it, importing no more than that name needs.

Entry points are read as metadata. A namespace's manifest is imported when a name in it is asked
for, and a metric's code when the metric is made. A plugin that fails is kept as an error for its
own namespace and hides nobody.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from attrs import define, field

from valor_core.errors import (
    AmbiguousNameError,
    BrokenPluginError,
    MissingExtraError,
    MissingPluginError,
    PluginConflictError,
    RegistryError,
    UnknownNameError,
    ValorError,
    VersionPinError,
    did_you_mean,
)
from valor_core.installed import Announced, entry_points
from valor_core.installer import FAMILIES, ways
from valor_core.manifest import Claim, Manifest, load, read
from valor_core.spec import (
    FunctionMetricSpec,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    ResourceSpec,
    Spec,
    Specs,
    fold,
)

GROUP = "valor.plugins"
OWN_NAMESPACE = "core"

FIRST_PARTY = {family: family for family in FAMILIES} | {"nvidia": "llm"}
"""Folder below ``plugins/`` of every namespace of this project."""

PLANNED = frozenset({"text", "llm", "nvidia", "rgb"})
"""Namespaces of this project whose plugin is not written yet; nothing installs it."""

_LOOK_AROUND = (
    "See what is there with: valor list. A config names files with metrics of its own "
    "under the key: modules"
)

S = TypeVar("S", bound=Spec)


@define
class Registry:
    """The metrics, readers, resources and galleries of the installed plugins, by name.

    A registry is a value, and two of them know nothing of each other. It reads the entry points
    when it is made. What was installed meanwhile is looked for before a manifest is imported,
    before a name is called unknown and before everything is listed.

    Parameters
    ----------
    choose : mapping of str to str, optional
        Which distribution to use for a namespace that several claim.

    Examples
    --------
    >>> registry = Registry()
    >>> "core" in registry.namespaces
    True
    """

    choose: Mapping[str, str] = field(factory=dict)
    _announced: tuple[Announced, ...] = field(init=False, repr=False)
    _manifests: dict[str, Manifest] = field(init=False, factory=dict, repr=False)
    _failures: dict[str, RegistryError] = field(init=False, factory=dict, repr=False)
    _in_process: list[MetricSpec] = field(init=False, factory=list, repr=False)

    def __attrs_post_init__(self) -> None:
        self._announced = entry_points(GROUP)

    def _look_again(self) -> None:
        """Notice what was installed or removed meanwhile."""
        self._announced = entry_points(GROUP, anew=True)

    def _claims(self, namespace: str) -> tuple[Claim, ...]:
        return tuple([_claim(entry) for entry in self._announced if entry.name == namespace])

    def _is_claimed(self, namespace: str) -> bool:
        """Whether a plugin claims a namespace, as far as this registry has looked."""
        return namespace in self._manifests or any(
            entry.name == namespace for entry in self._announced
        )

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Names of all namespaces that installed or registered plugins claim, sorted."""
        self._look_again()
        claimed = (entry.name for entry in self._announced)
        own = (spec.namespace for spec in self._in_process)
        return tuple(sorted({*claimed, *self._manifests, *own}))

    @property
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """For every namespace, the distributions that claim it."""
        self._look_again()
        namespaces = sorted({entry.name for entry in self._announced})
        return {namespace: self._claims(namespace) for namespace in namespaces}

    def add(self, spec: MetricSpec) -> None:
        """Make a metric without a package, from the decorator, known by its name.

        Raises
        ------
        PluginConflictError
            If another metric has the name.
        """
        known = self._metrics_in(spec.namespace) if self._has(spec.namespace) else Specs()
        other = known.by_name.get(fold(spec.short_name))
        if other == spec:
            return
        if other is not None:
            raise PluginConflictError(f"{spec.name}: expected a new name, it is declared already")
        self._in_process.append(spec)

    def register(self, namespace: str, manifest: object, distribution: str = "in process") -> None:
        """Add a manifest that no entry point announces: a module or an object with hooks.

        Raises
        ------
        PluginConflictError
            If the namespace is taken.
        ManifestError
            If a hook has a wrong signature or declares a foreign name.
        """
        if self._is_claimed(namespace):
            raise PluginConflictError(f"{namespace}: expected a free namespace, it is taken")
        claim = Claim(namespace, "", distribution, "0")
        self._manifests[namespace] = read(claim, manifest)

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
                self._manifests[namespace] = load(self._owner(namespace))
            except RegistryError as error:
                self._failures[namespace] = error
                raise
        return self._manifests[namespace]

    def metric(self, name: str, task: str | None = None) -> MetricSpec:
        """Spec of the metric with this name.

        Parameters
        ----------
        name : str
            ``"namespace.Name"``, or a bare name that is looked for in the namespace called like
            the task; ``@version`` behind it asserts the version. Case, ``_`` and ``-`` do not
            matter, and aliases count.
        task : str, optional
            Namespace of bare names.

        Raises
        ------
        UnknownNameError, AmbiguousNameError, VersionPinError
            With what to write instead.
        """
        plain_name, _, pin = name.partition("@")
        spec = self._find(plain_name, task, "metric", self._metrics_in)
        if pin and pin != str(spec.version):
            raise VersionPinError(
                f"metric {name!r}: expected version {pin}, the installed one is {spec.version}",
                f"Install the version of {self.distribution(spec)[0]} that has it, "
                f"or write {spec.identity!r}.",
            )
        return spec

    def reader(self, name: str, task: str | None = None) -> ReaderSpec:
        """Spec of the reader with this name; bare names are looked for in the task, then core."""
        if "." not in name:
            for namespace in (task, OWN_NAMESPACE):
                if namespace is not None and self._has(namespace):
                    known = self._readers_in(namespace).by_name
                    if fold(name) in known:
                        return known[fold(name)]
        return self._find(name, task, "reader", self._readers_in)

    def resource(self, name: str, task: str | None = None) -> ResourceSpec:
        """Spec of the resource with this name."""
        return self._find(name, task, "resource", self._resources_in)

    def gallery(self, name: str, task: str | None = None) -> GallerySpec:
        """Spec of the gallery with this name."""
        return self._find(name, task, "gallery", self._galleries_in)

    def metrics(self) -> Iterator[MetricSpec]:
        """All metrics of all plugins that work, sorted by name; the others are in `failures`."""
        yield from sorted(self._known(self._metrics_in), key=lambda spec: spec.name)

    def readers(self) -> Iterator[ReaderSpec]:
        """All readers of all plugins that work, sorted by name."""
        yield from sorted(self._known(self._readers_in), key=lambda spec: spec.name)

    def resources(self) -> Iterator[ResourceSpec]:
        """All resources of all plugins that work, sorted by name."""
        yield from sorted(self._known(self._resources_in), key=lambda spec: spec.name)

    def galleries(self) -> Iterator[GallerySpec]:
        """All galleries of all plugins that work, sorted by name."""
        yield from sorted(self._known(self._galleries_in), key=lambda spec: spec.name)

    def failures(self) -> Mapping[str, RegistryError]:
        """For every namespace that cannot be used, why; imports all manifests to find out."""
        for _ in self.metrics():
            pass
        return dict(self._failures)

    @property
    def where_to_look(self) -> str:
        """Remedy for a name that nothing comes close to."""
        return "See what is there with: valor list" if any(self.metrics()) else install_metrics()

    def distribution(self, spec: Spec) -> tuple[str, str]:
        """Name and version of the distribution that declares a spec."""
        if spec in self._in_process:
            return "in process", "0"
        manifest = self.manifest(spec.namespace)
        return manifest.distribution, manifest.version

    def _has(self, namespace: str) -> bool:
        """Whether there is something in a namespace, as far as this registry has looked."""
        return self._is_claimed(namespace) or any(
            spec.namespace == namespace for spec in self._in_process
        )

    def _metrics_in(self, namespace: str) -> Specs[MetricSpec]:
        own = [spec for spec in self._in_process if spec.namespace == namespace]
        if not own:
            return self.manifest(namespace).metrics
        if not self._is_claimed(namespace):
            return Specs(own)
        return Specs([*self.manifest(namespace).metrics, *own])

    def _readers_in(self, namespace: str) -> Specs[ReaderSpec]:
        return self.manifest(namespace).readers

    def _resources_in(self, namespace: str) -> Specs[ResourceSpec]:
        return self.manifest(namespace).resources

    def _galleries_in(self, namespace: str) -> Specs[GallerySpec]:
        return self.manifest(namespace).galleries

    def _find(
        self, name: str, task: str | None, kind: str, specs_in: Callable[[str], Specs[S]]
    ) -> S:
        namespace, dot, short = name.rpartition(".")
        if not dot:
            return self._find_bare(name, task, kind, specs_in)
        space = self._namespace(namespace, f"{kind} {name!r}")
        known = specs_in(space).by_name
        if fold(short) not in known:
            remedy = did_you_mean(name, [spec.name for spec in known.values()])
            raise UnknownNameError(
                f"{kind} {name!r}: not declared by the plugin '{space}'",
                remedy or "See what is there with: valor list",
            )
        return known[fold(short)]

    def _namespace(self, name: str, wanted: str) -> str:
        """The namespace that a name means, in which something is wanted."""
        if self._has(name):
            return name
        spaces = [known for known in self.namespaces if fold(known) == fold(name)]
        if not spaces:
            raise self._unknown_namespace(name, wanted)
        if len(spaces) > 1 and name not in spaces:
            raise AmbiguousNameError(
                f"{wanted}: the namespaces {' and '.join(spaces)} both answer to it",
                "Write the namespace exactly.",
            )
        return name if name in spaces else spaces[0]

    def _find_bare(
        self, name: str, task: str | None, kind: str, specs_in: Callable[[str], Specs[S]]
    ) -> S:
        is_there = task is None or self._has(task) or task in self.namespaces
        if task is not None and is_there:
            known = specs_in(task).by_name
            if fold(name) in known:
                return known[fold(name)]
        declared = self._declaring(name, specs_in)
        elsewhere = [spec for spec in declared if _serves(spec, task)]
        if task is not None and not is_there and not elsewhere:
            raise self._unknown_namespace(task, f"{kind} {name!r}")
        if elsewhere and task is None:
            names = " or ".join(repr(spec.name) for spec in elsewhere)
            raise AmbiguousNameError(
                f"{kind} {name!r}: a bare name needs a task to be looked for in",
                f"Write {names}, or set the task.",
            )
        remedy = self._as_written(name, task, specs_in)
        if elsewhere:
            remedy = f"Did you mean {elsewhere[0].name!r}?"
        elif declared:
            other = f"{declared[0].name!r} is for the task {getattr(declared[0], 'task', None)}."
            remedy = remedy or other
        if remedy is None:
            fitting = (spec for spec in self._known(specs_in) if _serves(spec, task))
            candidates = {word for spec in fitting for word in _words(spec, task)}
            remedy = did_you_mean(name, sorted(candidates)) or self.where_to_look
        where = f" in the task '{task}'" if task else ""
        raise UnknownNameError(f"{kind} {name!r}: unknown{where}", remedy)

    def _as_written(
        self, name: str, task: str | None, specs_in: Callable[[str], Specs[S]]
    ) -> str | None:
        """How a metric is written that others call by a name of its own."""
        for spec in self._known(specs_in):
            for other, parameters in getattr(spec, "written_as", ()):
                if fold(other) == fold(name) and _serves(spec, task):
                    return f"Write it as: {{name: {spec.name}, {parameters}}}"
        return None

    def _declaring(self, name: str, specs_in: Callable[[str], Specs[S]]) -> list[S]:
        return [
            spec
            for spec in self._known(specs_in)
            if fold(name) in map(fold, (spec.short_name, *spec.aliases))
        ]

    def _known(self, specs_in: Callable[[str], Specs[S]]) -> list[S]:
        """All specs of a kind from the plugins that work."""
        found: list[S] = []
        for namespace in self.namespaces:
            try:
                found.extend(specs_in(namespace))
            except RegistryError:
                continue
        return found

    def _unknown_namespace(self, namespace: str, wanted: str) -> UnknownNameError:
        folder = FIRST_PARTY.get(fold(namespace))
        if fold(namespace) in PLANNED:
            return UnknownNameError(
                f"{wanted}: there is no plugin '{fold(namespace)}' yet", _LOOK_AROUND
            )
        if folder is not None:
            return MissingPluginError(
                f"{wanted}: the plugin '{fold(namespace)}' is not installed",
                f"Install it with: {ways(f'valor-{folder}')}",
            )
        return UnknownNameError(
            f"{wanted}: no installed plugin claims the namespace {namespace!r}",
            did_you_mean(namespace, [*self.namespaces, *FIRST_PARTY]) or _LOOK_AROUND,
        )

    def _owner(self, namespace: str) -> Claim:
        claims = self._claims(namespace)
        if len(claims) != 1 or claims[0].module not in sys.modules:
            self._look_again()
            claims = self._claims(namespace)
        if not claims:
            raise self._unknown_namespace(namespace, f"namespace {namespace!r}")
        if len(claims) == 1:
            return claims[0]
        wanted = self.choose.get(namespace, "")
        chosen = [claim for claim in claims if fold(claim.distribution) == fold(wanted)]
        if len(chosen) == 1:
            return chosen[0]
        names = " and ".join(sorted(map(str, claims)))
        first = min(claim.distribution for claim in claims)
        raise PluginConflictError(
            f"namespace {namespace!r}: expected one plugin, {names} claim it",
            f"Uninstall one of them, or choose in the config: plugins: {{{namespace}: {first}}}",
        )


def implementation(spec: Spec) -> Any:
    """The object that a spec names as its code, imported now.

    Raises
    ------
    MissingExtraError
        If the code needs a package that the spec's extra would install.
    BrokenPluginError
        If the import fails in another way.
    """
    if isinstance(spec, FunctionMetricSpec):
        return spec.score
    module_name, _, attribute = spec.implementation.partition(":")
    package = module_name.partition(".")[0]
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        if spec.extra is None or (error.name or package).partition(".")[0] == package:
            raise _broken(spec, error) from error
        raise MissingExtraError(
            f"{spec.name}: its code needs {error.name!r}, which is not installed",
            f"Install it with: {ways(f'{_distribution_of(spec.namespace)}[{spec.extra}]')}",
        ) from error
    except ValorError:
        raise
    except Exception as error:
        raise _broken(spec, error) from error
    return found


def install_metrics() -> str:
    """What to do where no family of metrics is installed."""
    return f"Install some metrics with: {ways('valor-classification')}"


def _distribution_of(namespace: str) -> str:
    """Name of the distribution that claims a namespace."""
    found = [entry.distribution for entry in entry_points(GROUP) if entry.name == namespace]
    return found[0] if len(found) == 1 else f"valor-{FIRST_PARTY.get(namespace, namespace)}"


def _broken(spec: Spec, error: Exception) -> BrokenPluginError:
    return BrokenPluginError(
        f"{spec.name}: its code {spec.implementation} cannot be imported, "
        f"{type(error).__name__}: {error}"
    )


def _claim(entry: Announced) -> Claim:
    return Claim(entry.name, entry.value, entry.distribution, entry.version)


def _serves(spec: Spec, task: str | None) -> bool:
    """Whether a spec can be used in a task, as far as it says."""
    return task is None or getattr(spec, "task", None) in (None, task)


def _words(spec: Spec, task: str | None) -> tuple[str, ...]:
    own = spec.namespace == task
    return (spec.short_name, *spec.aliases) if own else (spec.name,)
