"""Read the specs of a plugin from the hooks of its manifest module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import pluggy
from attrs import evolve, field, frozen

from valor_core.errors import (
    BrokenPluginError,
    ManifestError,
    RegistryError,
    ValorError,
    short_repr,
)
from valor_core.lazy import migration_hint
from valor_core.packages import uninstall, unmet_core, ways
from valor_core.specs import hooks
from valor_core.specs.extensions import Claim, reason_of
from valor_core.specs.names import folded_name
from valor_core.specs.spec import IMPLEMENTATION, KINDS, Spec, Specs

_S = TypeVar("_S", bound=Spec)


@frozen(repr=False)
class Manifest:
    """Specs declared by a plugin.

    Parameters
    ----------
    namespace, distribution, version : str
        Namespace, and name and version of the distribution.
    declared : mapping of type to Specs
        Specs by class.
    kernels : tuple of str
        Import strings of the compiled `Kernels`.
    in_process : frozenset of str
        Full names of specs added in this process.
    """

    namespace: str
    distribution: str
    version: str
    declared: Mapping[type[Spec], Specs[Any]] = field(factory=dict)
    kernels: tuple[str, ...] = ()
    in_process: frozenset[str] = frozenset()

    def of(self, kind: type[_S]) -> Specs[_S]:
        """Return the specs of one kind."""
        return self.declared.get(kind, Specs())

    def all(self) -> Iterator[Spec]:
        """Yield all specs, kind by kind."""
        for kind in KINDS.values():
            yield from self.of(kind)

    def joined_by(self, spec: Spec, kind: type[Spec]) -> Manifest:
        """Return a copy with a spec added in this process."""
        declared = {**self.declared, kind: Specs([*self.of(kind), spec])}
        return evolve(self, declared=declared, in_process=self.in_process | {spec.name})


API = 3
"""Version of the plugin API; a manifest may state its version with ``api = 3``."""

HOOKS = (*(f"valor_{kinds}" for kinds in KINDS), "valor_kernels")
"""Names of all hooks."""


def load_manifest(claim: Claim) -> Manifest:
    """Import and read the manifest of an installed plugin.

    Parameters
    ----------
    claim : Claim
        Entry point of the plugin.

    Raises
    ------
    BrokenPluginError, ManifestError
        If the manifest cannot be imported or is invalid.
    """
    try:
        module = import_module(claim.module)
    except (Exception, SystemExit) as error:
        failed = f"its manifest {claim.module} cannot be imported"
        raise _manifest_error(claim, error, failed) from error
    return _read_once(claim, module)


@lru_cache
def _read_once(claim: Claim, module: ModuleType) -> Manifest:
    """Read a manifest module once for all registries."""
    return read_manifest(claim, module)


def read_manifest(claim: Claim, module: object) -> Manifest:
    """Read a manifest from a module or an object with hooks.

    Parameters
    ----------
    claim : Claim
        Entry point of the plugin.
    module : object
        Object with the hooks.

    Raises
    ------
    BrokenPluginError, ManifestError
        If a hook fails, has a wrong signature or declares a name of another namespace.

    Examples
    --------
    >>> from valor_core import plugin
    >>> from valor_core.specs.spec import EngineSpec
    >>> claim = Claim("core", "valor_core.plugin", "valor-core", "0.1.0")
    >>> [spec.name for spec in read_manifest(claim, plugin).of(EngineSpec)]
    ['core.local']
    """
    plugins = pluggy.PluginManager(hooks.PROJECT)
    plugins.add_hookspecs(hooks)
    try:
        _check_api(module)
        plugins.register(module, name=claim.namespace)
        plugins.check_pending()
        if not plugins.get_hookcallers(module):
            raise ManifestError(
                "its manifest declares nothing",
                f"Write {HOOKS[0]} or another hook and decorate it with "
                "@valor_core.specs.hookimpl.",
            )
        declared = {
            kind: _declared(plugins, f"valor_{kinds}", claim, kind) for kinds, kind in KINDS.items()
        }
        kernels = _kernels(plugins)
    except pluggy.PluginValidationError as error:
        found = "; ".join(str(error).splitlines())
        remedy = f"Hooks take no arguments. They are: {', '.join(HOOKS)}."
        raise ManifestError(f"{claim.place}: {found}", remedy) from error
    except (Exception, SystemExit) as error:
        raise _manifest_error(claim, error) from error
    return Manifest(claim.namespace, claim.distribution, claim.version, declared, kernels)


def _check_api(module: object) -> None:
    """Raise an error if a manifest needs a newer API."""
    api = getattr(module, "api", API)
    if type(api) is not int or api < 1:
        raise ManifestError(
            f"api must be a positive whole number, got {short_repr(api)}",
            f"Write it as: api = {API}",
        )
    if api > API:
        raise BrokenPluginError(
            f"it is written for api {api} of valor-core, this one has {API}",
            f"Upgrade it with: {ways('valor-core')}",
        )


def _hook_results(plugins: pluggy.PluginManager, hook: str) -> list[Any]:
    # pluggy's own call drops None, so a hook without a return statement would pass
    return [each.function() for each in getattr(plugins.hook, hook).get_hookimpls()]


def _kernels(plugins: pluggy.PluginManager) -> tuple[str, ...]:
    results = _hook_results(plugins, "valor_kernels")
    for place in results:
        if not isinstance(place, str) or not IMPLEMENTATION.fullmatch(place):
            raise ManifestError(
                "valor_kernels must return an import string like 'package.kernels:KERNELS', got "
                f"{short_repr(place)}",
                "Return the import string of the family's valor_core.kernels.compiled.Kernels.",
            )
    return tuple(results)


def _declared(
    plugins: pluggy.PluginManager, hook: str, claim: Claim, expected: type[Spec]
) -> Specs[Any]:
    specs = [spec for result in _hook_results(plugins, hook) for spec in result]
    _check_declared(specs, claim.namespace, expected)
    return Specs(specs)


def _manifest_error(
    claim: Claim, error: BaseException, failed: str = "its manifest fails"
) -> ValorError:
    """Return the error for an unusable manifest."""
    if isinstance(error, RegistryError):
        return error.at(f"{claim.place}: ")
    # A manifest registered in this process has no module in its claim, and nothing to uninstall.
    unmet = unmet_core(claim.distribution)
    removal = f"Reinstall or remove it: {uninstall(claim.distribution)}" if claim.module else None
    return BrokenPluginError(
        f"{claim.place}: {failed}, {reason_of(error)}",
        str(unmet) if unmet else migration_hint(error) or removal,
    )


def _check_declared(specs: list[Any], namespace: str, expected: type[Spec]) -> None:
    taken: dict[str, str] = {}
    for spec in specs:
        if not isinstance(spec, expected):
            raise ManifestError(
                f"expected a {expected.__name__}, found {short_repr(spec)}",
                f"Return a list of {expected.__name__} from the hook.",
            )
        if spec.namespace != namespace:
            raise ManifestError(
                f"declares {spec.name!r} outside its namespace",
                f"Name it '{namespace}.{spec.short_name}'.",
            )
        for word in (spec.short_name, *spec.aliases):
            other = taken.setdefault(folded_name(word), spec.name)
            if other != spec.name:
                raise ManifestError(
                    f"{other} and {spec.name} both have the name {word!r}",
                    "Give one of them another name or alias.",
                )
