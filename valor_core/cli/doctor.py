"""``valor doctor``: what is installed, what is broken, and what to do about it."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, metadata, version
from typing import Any

from attrs import asdict, frozen

from valor_core.cli import streams
from valor_core.cli.command import command as make_command
from valor_core.cli.outcome import FAILED
from valor_core.engines import GROUP
from valor_core.errors import RegistryError
from valor_core.installer import install
from valor_core.registry import Registry
from valor_core.spec import by_reference
from valor_core.table import Cell, Row, Table

OWN = "valor-core"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


@frozen
class Plugin:
    """One distribution's claim to a namespace, and whether it holds."""

    namespace: str
    distribution: str
    version: str
    holds: str
    kernels: str
    error: str | None


@frozen
class EngineCheck:
    """One engine and whether it can be imported."""

    name: str
    distribution: str
    error: str | None


@frozen
class Extra:
    """One extra of a distribution, with the packages of it that are not installed."""

    distribution: str
    name: str
    missing: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """The command that installs it; nothing where it is there."""
        return install(f"{self.distribution}[{self.name}]") if self.missing else ""


@make_command("doctor")
def command(as_json: bool) -> int:
    """Check the installation and its plugins.

    The exit code is 1 where a plugin or an engine cannot be used.
    """
    registry = Registry()
    plugins = list(_plugins(registry))
    engines = [_engine(entry) for entry in sorted(entry_points(group=GROUP))]
    distributions = dict.fromkeys([OWN, *(plugin.distribution for plugin in plugins)])
    extras = [extra for name in distributions for extra in extras_of(name)]
    versions = {"python": platform.python_version(), OWN: _version(OWN), "numpy": _version("numpy")}
    broken = [*_errors(plugins), *_errors(engines)]
    if as_json:
        record: dict[str, Any] = {"versions": versions}
        record["plugins"] = [asdict(plugin) for plugin in plugins]
        record["engines"] = [asdict(engine) for engine in engines]
        record["extras"] = [asdict(extra) | {"remedy": extra.remedy} for extra in extras]
        streams.say_json(record | {"ok": not broken})
    else:
        streams.show(_tables(versions, plugins, engines, extras))
        for error in broken:
            streams.talk(f"not usable: {error}")
    return FAILED if broken else 0


def _errors(found: Iterable[Plugin | EngineCheck]) -> list[str]:
    return list(dict.fromkeys(each.error for each in found if each.error))


def _plugins(registry: Registry) -> Iterable[Plugin]:
    failures: dict[str, RegistryError] = dict(registry.failures())
    for namespace, claims in registry.claims.items():
        error = failures.get(namespace)
        for claim in claims:
            yield Plugin(
                namespace,
                claim.distribution,
                claim.version,
                "" if error else _content(registry, namespace),
                "" if error else _kernels(registry, namespace),
                None if error is None else str(error),
            )


def _content(registry: Registry, namespace: str) -> str:
    manifest = registry.manifest(namespace)
    parts = []
    for word, specs in (
        ("metric", manifest.metrics),
        ("reader", manifest.readers),
        ("resource", manifest.resources),
    ):
        if specs:
            parts.append(f"{len(specs)} {word}{'' if len(specs) == 1 else 's'}")
    return ", ".join(parts) or "nothing"


def _kernels(registry: Registry, namespace: str) -> str:
    """Which of a family's two sets of kernels runs, and why the compiled one does not."""
    found = [by_reference(place) for place in registry.manifest(namespace).kernels]
    return "; ".join(f"{each.path}, {each.reason}" if each.reason else each.path for each in found)


def _engine(entry: EntryPoint) -> EngineCheck:
    distribution = "unknown" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    try:
        entry.load()
    except Exception as error:
        reason = f"engine '{entry.name}': cannot be imported, {type(error).__name__}: {error}"
        return EngineCheck(entry.name, distribution, reason)
    return EngineCheck(entry.name, distribution, None)


def extras_of(distribution: str) -> list[Extra]:
    """The extras of an installed distribution, with what is missing of each.

    Examples
    --------
    >>> "cli" in [extra.name for extra in extras_of("valor-core")]
    True
    """
    try:
        facts = metadata(distribution)
    except PackageNotFoundError:
        return []
    packages: dict[str, list[str]] = {
        name: [] for name in facts.get_all("Provides-Extra") or () if name != "dev"
    }
    for requirement in facts.get_all("Requires-Dist") or ():
        package, extra = _REQUIREMENT.match(requirement), _EXTRA.search(requirement)
        if package and extra and extra[1] in packages and package[1] != distribution:
            packages[extra[1]].append(package[1])
    return [
        Extra(distribution, name, tuple(p for p in wanted if _version(p) == "missing"))
        for name, wanted in packages.items()
    ]


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"


def _tables(
    versions: dict[str, str],
    plugins: Iterable[Plugin],
    engines: Iterable[EngineCheck],
    extras: Iterable[Extra],
) -> Iterable[Table]:
    yield Table("Versions", ["what", "version"], [[k, v] for k, v in versions.items()])
    yield Table(
        "Plugins",
        ["namespace", "distribution", "version", "state", "kernels"],
        [
            [p.namespace, p.distribution, p.version, _state(p.error, p.holds), p.kernels]
            for p in plugins
        ],
    )
    yield Table(
        "Engines",
        ["engine", "distribution", "state"],
        [[engine.name, engine.distribution, _state(engine.error, "ready")] for engine in engines],
    )
    rows: list[Row] = [
        [
            extra.distribution,
            extra.name,
            Cell(f"missing {', '.join(extra.missing)}", tone="faint")
            if extra.missing
            else Cell("installed", tone="good"),
            extra.remedy,
        ]
        for extra in extras
    ]
    if rows:
        yield Table("Extras", ["distribution", "extra", "state", "install it with"], rows)


def _state(error: str | None, holds: str) -> Cell:
    return Cell("not usable", tone="bad") if error else Cell(holds, tone="good")
