"""``valor doctor``: what is installed, what is broken, and what to do about it."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, entry_points, metadata, version
from typing import Any

from attrs import asdict, frozen

from valor_core.cli import streams
from valor_core.cli.command import command as make_command
from valor_core.cli.diagnosis import EngineCheck, PluginCheck, engine_check, plugin_checks
from valor_core.cli.outcome import FAILED
from valor_core.engines import GROUP
from valor_core.installer import ways
from valor_core.registry import Registry
from valor_core.table import Cell, Row, Table

OWN = "valor-core"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


@frozen
class Extra:
    """One extra of a distribution, with the packages of it that are not installed."""

    distribution: str
    name: str
    missing: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """The commands that install it; nothing where it is there."""
        return ways(f"{self.distribution}[{self.name}]") if self.missing else ""


@make_command("doctor")
def command(as_json: bool) -> int:
    """Check the installation and its plugins.

    Imports the code of every plugin. The exit code is 1 where a plugin, a metric or an engine
    cannot be used.
    """
    plugins = list(plugin_checks(Registry()))
    engines = [engine_check(entry) for entry in sorted(entry_points(group=GROUP))]
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


def _errors(found: Iterable[PluginCheck | EngineCheck]) -> list[str]:
    return list(dict.fromkeys(error for each in found for error in each.errors))


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
    plugins: Iterable[PluginCheck],
    engines: Iterable[EngineCheck],
    extras: Iterable[Extra],
) -> Iterable[Table]:
    yield Table("Versions", ["what", "version"], [[k, v] for k, v in versions.items()])
    yield Table(
        "Plugins",
        ["namespace", "distribution", "version", "state", "kernels"],
        [
            [p.namespace, p.distribution, p.version, _state(p.errors, p.holds), p.kernels]
            for p in plugins
        ],
    )
    yield Table(
        "Engines",
        ["engine", "distribution", "state"],
        [
            [
                engine.name,
                engine.distribution,
                _state(engine.errors, "" if engine.errors else "ready"),
            ]
            for engine in engines
        ],
    )
    rows = [row for extra in extras for row in _rows(extra)]
    if rows:
        yield Table("Extras", ["distribution", "extra", "state", "install it with"], rows)


def _rows(extra: Extra) -> Iterator[Row]:
    """An extra in a row, and one more for each further way to install it."""
    if not extra.missing:
        yield [extra.distribution, extra.name, Cell("installed", tone="good"), ""]
        return
    first, *others = extra.remedy.splitlines()
    state = Cell(f"missing {', '.join(extra.missing)}", tone="faint")
    yield [extra.distribution, extra.name, state, first]
    for other in others:
        yield ["", "", "", other]


def _state(errors: tuple[str, ...], holds: str) -> Cell:
    if not errors:
        return Cell(holds, tone="good")
    return Cell(f"{holds}, not all usable" if holds else "not usable", tone="bad")
