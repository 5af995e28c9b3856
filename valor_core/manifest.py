"""Manifest: what one plugin declares, read from its manifest module through its hooks."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

import pluggy
from attrs import frozen

from valor_core import hookspecs
from valor_core.errors import BrokenPluginError, ManifestError, RegistryError, shown
from valor_core.installer import uninstall
from valor_core.spec import (
    IMPLEMENTATION,
    GallerySpec,
    MetricSpec,
    ReaderSpec,
    ResourceSpec,
    Spec,
    Specs,
    fold,
)


@frozen
class Claim:
    """One distribution's entry point for a namespace."""

    namespace: str
    module: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


@frozen
class Manifest:
    """What one plugin declares, once its manifest module has been imported."""

    namespace: str
    distribution: str
    version: str
    metrics: Specs[MetricSpec] = Specs()
    readers: Specs[ReaderSpec] = Specs()
    resources: Specs[ResourceSpec] = Specs()
    galleries: Specs[GallerySpec] = Specs()
    kernels: tuple[str, ...] = ()
    """Where the `Kernels` of the family stand, if it has any."""


_HOOKS: Mapping[str, tuple[str, type[Spec]]] = {
    "metrics": ("valor_metrics", MetricSpec),
    "readers": ("valor_readers", ReaderSpec),
    "resources": ("valor_resources", ResourceSpec),
    "galleries": ("valor_galleries", GallerySpec),
}
_HOOK_NAMES = (*(hook for hook, _ in _HOOKS.values()), "valor_kernels")


def load(claim: Claim) -> Manifest:
    """What an installed plugin declares; imports its manifest.

    Parameters
    ----------
    claim : Claim
        Its entry point.

    Raises
    ------
    BrokenPluginError, ManifestError
        If the manifest cannot be imported or declares something it may not.
    """
    try:
        module = importlib.import_module(claim.module)
    except (Exception, SystemExit) as error:
        raise BrokenPluginError(
            f"plugin '{claim.namespace}' ({claim}): its manifest {claim.module} cannot be "
            f"imported, {type(error).__name__}: {error}",
            f"Reinstall or remove it: {uninstall(claim.distribution)}",
        ) from error
    hooks = (vars(module).get(hook) for hook, _ in _HOOKS.values())
    return _kept_manifest(claim, module, *(f for f in hooks if isinstance(f, FunctionType)))


@lru_cache
def _kept_manifest(claim: Claim, module: ModuleType, *hooks: FunctionType) -> Manifest:
    """A manifest that worked, kept for the next registry until its module is loaded anew."""
    return read(claim, module)


def read(claim: Claim, module: object) -> Manifest:
    """What a module or an object with hooks declares.

    Parameters
    ----------
    claim : Claim
        Whose it is.
    module : object
        What has the hooks.

    Raises
    ------
    BrokenPluginError, ManifestError
        If a hook fails, has a wrong signature or declares a foreign name.

    Examples
    --------
    >>> from valor_core import plugin
    >>> claim = Claim("core", "valor_core.plugin", "valor-core", "0.1.0")
    >>> [spec.name for spec in read(claim, plugin).readers]
    ['core.table']
    """
    plugins = pluggy.PluginManager(hookspecs.PROJECT)
    plugins.add_hookspecs(hookspecs)
    try:
        plugins.register(module, name=claim.namespace)
        plugins.check_pending()
        _check_declares(plugins, claim, module)
        declared = {
            kind: _declared(plugins, hook, claim, expected)
            for kind, (hook, expected) in _HOOKS.items()
        }
        kernels = _kernels(plugins, claim)
    except BaseException as error:
        raise _unreadable(claim, error) from error
    return Manifest(claim.namespace, claim.distribution, claim.version, **declared, kernels=kernels)


def _check_declares(plugins: pluggy.PluginManager, claim: Claim, module: object) -> None:
    if not plugins.get_hookcallers(module):
        raise ManifestError(
            f"plugin '{claim.namespace}' ({claim}): its manifest declares nothing",
            f"Write {' or '.join(_HOOK_NAMES)} and decorate it with @valor_core.hookimpl.",
        )


def _kernels(plugins: pluggy.PluginManager, claim: Claim) -> tuple[str, ...]:
    answers = [each.function() for each in plugins.hook.valor_kernels.get_hookimpls()]
    found: list[str] = []
    for place in answers:
        if not isinstance(place, str) or not IMPLEMENTATION.fullmatch(place):
            raise ManifestError(
                f"plugin '{claim.namespace}' ({claim}): valor_kernels must answer a place like "
                f"'package.kernels:KERNELS', got {shown(place)}"
            )
        found.append(place)
    return tuple(found)


def _declared(
    plugins: pluggy.PluginManager, hook: str, claim: Claim, expected: type[Spec]
) -> Specs[Any]:
    specs: list[Spec] = []
    for implementation in getattr(plugins.hook, hook).get_hookimpls():
        specs.extend(implementation.function())
    _check_declared(specs, claim, expected)
    return Specs(specs)


def _unreadable(claim: Claim, error: BaseException) -> BaseException:
    """What to raise where a manifest was imported and cannot be used."""
    place = f"plugin '{claim.namespace}' ({claim})"
    if isinstance(error, RegistryError) or not isinstance(error, (Exception, SystemExit)):
        return error
    if isinstance(error, pluggy.PluginValidationError):
        hooks = ", ".join(_HOOK_NAMES)
        return ManifestError(f"{place}: {error}", f"Hooks take no arguments and are: {hooks}.")
    return BrokenPluginError(f"{place}: its manifest fails, {type(error).__name__}: {error}")


def _check_declared(specs: list[Spec], claim: Claim, expected: type[Spec]) -> None:
    place = f"plugin '{claim.namespace}' ({claim})"
    taken: dict[str, str] = {}
    for spec in specs:
        if not isinstance(spec, expected):
            raise ManifestError(f"{place}: expected a {expected.__name__}, found {shown(spec)}")
        if spec.namespace != claim.namespace:
            raise ManifestError(
                f"{place}: declares {spec.name!r} outside its namespace",
                f"Name it '{claim.namespace}.{spec.short_name}'.",
            )
        for word in (spec.short_name, *spec.aliases):
            other = taken.setdefault(fold(word), spec.name)
            if other != spec.name:
                raise ManifestError(f"{place}: {other} and {spec.name} both answer to {word!r}")
