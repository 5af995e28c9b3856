"""Diagnosis of installed plugins, made by importing all their code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import metadata
from typing import TextIO

from attrs import frozen

from valor_cli.program.plugin_command import called
from valor_cli.program.program import BUILT_IN
from valor_core.errors import (
    BrokenPluginError,
    MissingExtraError,
    RegistryError,
    and_more,
    did_you_mean,
    short_repr,
)
from valor_core.packages import OWNERS, uninstall, unmet_core, version_of
from valor_core.specs import CommandSpec, Registry, Spec
from valor_core.specs.extensions import GROUPS, announced, required
from valor_core.specs.manifest import Manifest
from valor_core.specs.names import folded_name
from valor_core.specs.spec import KINDS, import_object


@frozen
class PluginCheck:
    """Result of checking one distribution's claim to a namespace, and its code."""

    namespace: str
    distribution: str
    version: str
    holds: str
    kernels: str
    error: str | None
    broken: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[str, ...]:
        """Errors of the claim and of the plugin's code."""
        return (*([self.error] if self.error else []), *self.broken)


def foreign_claims(registry: Registry) -> list[str]:
    """Return warnings about other distributions that claim a namespace of Valor's plugins."""
    return [
        f"{claim.place}: expected the namespace of {owner}, found another distribution\n"
        f"Unless you trust it, remove it: {uninstall(claim.distribution)}"
        for namespace, owner in sorted(OWNERS.items())
        for claim in registry.claims.get(namespace, ())
        if folded_name(claim.distribution) != folded_name(owner)
    ]


def extension_errors() -> list[str]:
    """Import every extension; return the errors of those that conflict or cannot be imported."""
    errors = []
    for group in GROUPS[1:]:
        for name in announced(group):
            try:
                required(group, name, name)
            except RegistryError as error:
                errors.append(str(error))
    return errors


def unread_groups() -> list[str]:
    """Return warnings about entry points in groups of earlier versions, or misspelt groups."""
    groups = {group for group in metadata.entry_points().groups if group.startswith("valor.")}
    return [
        f"{entry.dist.name} {entry.dist.version}: its entry point {entry.name!r} is in the group "
        f"{group}, which is not read\n{_hook(group.removeprefix('valor.'))}"
        for group in sorted(groups.difference(GROUPS))
        for entry in metadata.entry_points(group=group)
        if entry.dist is not None
    ]


def _hook(group: str) -> str:
    if group in KINDS:
        return f"Upgrade it, or declare it in its manifest with the hook: valor_{group}"
    return did_you_mean(f"valor.{group}", GROUPS) or f"Declare a manifest in the group: {GROUPS[0]}"


def plugin_checks(registry: Registry) -> Iterator[PluginCheck]:
    """Check every claim to a namespace and the claiming plugin's code.

    Parameters
    ----------
    registry : Registry
        Registry of installed plugins.

    Examples
    --------
    >>> [check.holds for check in plugin_checks(Registry()) if check.namespace == "core"]
    ['1 engine, 4 tasks']
    """
    failures: dict[str, RegistryError] = dict(registry.failures())
    for namespace, claims in registry.claims.items():
        error = failures.get(namespace)
        if error is None:
            yield _plugin(registry.manifest(namespace))
            continue
        for claim in claims:
            owner = (namespace, claim.distribution, claim.version)
            yield PluginCheck(*owner, "", "", str(error))
    for namespace in registry.namespaces:
        if namespace not in registry.claims:  # a plugin of one file
            yield _plugin(registry.manifest(namespace))


def _plugin(manifest: Manifest) -> PluginCheck:
    owner = (manifest.namespace, manifest.distribution, manifest.version)
    unmet = unmet_core(manifest.distribution)
    kernels, broken = (
        "",
        [*([str(unmet)] if unmet else []), *_clashes(manifest), *_broken(manifest)],
    )
    try:
        with _quiet():
            kernels = _kernels(manifest)
    except (Exception, SystemExit) as error:
        places = ", ".join(manifest.kernels)
        broken.append(
            f"{manifest.namespace}: its kernels {places} cannot be imported, "
            f"{type(error).__name__}: {error}{_reinstall(manifest.distribution)}"
        )
    return PluginCheck(*owner, _content(manifest), kernels, None, tuple(broken))


def _clashes(manifest: Manifest) -> Iterator[str]:
    """Yield an error for each command hidden by a built-in one."""
    for spec in manifest.of(CommandSpec):
        if called(spec) in BUILT_IN:
            yield (
                f"{spec.name}: expected another name, {called(spec)!r} is a built-in command\n"
                f"Rename it, or call: valor {spec.name}"
            )


def _broken(manifest: Manifest) -> Iterator[str]:
    """Yield one error per cause for a plugin's code that cannot be imported.

    Code whose extra is missing is not broken; the table of extras shows how to install it.
    """
    names: dict[str, list[str]] = {}
    for spec in manifest.all():
        reason = _failure(spec)
        if reason is not None:
            names.setdefault(reason, []).append(spec.name)
    for reason, (first, *others) in names.items():
        yield f"{first}{and_more(len(others))}: {reason}{_reinstall(manifest.distribution)}"


def _failure(spec: Spec) -> str | None:
    """Return the reason why a spec's code cannot be imported, or None if it can."""
    try:
        with _quiet():
            found = spec.load()
    except MissingExtraError:
        return None
    except (Exception, SystemExit) as error:
        cause = error.__cause__ if isinstance(error, BrokenPluginError) else error
        module = spec.implementation.partition(":")[0]
        place = spec.implementation if isinstance(cause, AttributeError) else module
        return f"its code {place} cannot be imported, {type(cause).__name__}: {cause}"
    if not callable(found):
        return (
            f"expected {spec.implementation} to be a class or a function, found {short_repr(found)}"
        )
    try:
        with _quiet():
            spec.parameter_class  # noqa: B018 - imported now
    except RegistryError as error:
        return error.message.removeprefix(f"{spec.name}: ")
    return None


def _quiet() -> redirect_stdout[TextIO]:
    """Redirect what imported code prints to standard error, away from the command's results."""
    return redirect_stdout(sys.stderr)


def _reinstall(distribution: str) -> str:
    """Return the line with the remedy; empty for a plugin of one file."""
    if version_of(distribution) is None:
        return ""
    return f"\nReinstall or remove it: {uninstall(distribution)}"


def _content(manifest: Manifest) -> str:
    counts = ((kinds, kind, len(manifest.of(kind))) for kinds, kind in KINDS.items())
    parts = [
        f"{count} {kind.kind if count == 1 else kinds.replace('_', ' ')}"
        for kinds, kind, count in counts
        if count
    ]
    return ", ".join(parts) or "nothing"


def _kernels(manifest: Manifest) -> str:
    """Describe the kernels in use, compiled or NumPy, with the reason for a fallback."""
    found = [import_object(place) for place in manifest.kernels]
    return "; ".join(f"{each.path}, {each.reason}" if each.reason else each.path for each in found)
