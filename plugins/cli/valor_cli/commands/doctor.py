"""``valor doctor``: installed packages, broken plugins and missing extras."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Any

import click
from attrs import asdict, frozen
from packaging.requirements import Requirement
from valor_report.tables.text_table import Cell, Row, TextTable

from valor_cli.commands.diagnosis import (
    PluginCheck,
    extension_errors,
    foreign_claims,
    plugin_checks,
    unread_groups,
)
from valor_cli.commands.migration import migrations
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_cli.program.outcome import FAILED
from valor_core.packages import ways

OWN = "valor-core"
_NO_EXTRA = {"extra": ""}


@frozen
class Extra:
    """Extra of a distribution, with its packages that are not installed."""

    distribution: str
    name: str
    missing: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """Commands that install the extra; empty if it is installed."""
        return ways(f"{self.distribution}[{self.name}]") if self.missing else ""


@make_command("doctor")
@module_option
@click.option(
    "--migrate",
    "plugin",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Print the edits that a plugin of an earlier version needs.",
)
def command(plugin: Path | None, as_json: bool) -> int:
    """Check the installation and its plugins.

    Imports the code of every plugin. The exit code is 1 if a plugin or one of its components is
    broken. With --migrate, prints a diff of the imports in a file or folder instead, which
    "patch -p0" applies.
    """
    if plugin is not None:
        return _migrate(plugin, as_json)
    registry = chosen_registry()
    plugins = list(plugin_checks(registry))
    distributions = dict.fromkeys([OWN, *(plugin.distribution for plugin in plugins)])
    extras = [extra for name in distributions for extra in extras_of(name)]
    versions = {"python": platform.python_version(), OWN: _version(OWN), "numpy": _version("numpy")}
    errors = [error for plugin in plugins for error in plugin.errors]
    broken = list(dict.fromkeys([*errors, *extension_errors()]))
    warnings = foreign_claims(registry) + unread_groups()
    if as_json:
        record: dict[str, Any] = {"versions": versions}
        record["plugins"] = [asdict(plugin) for plugin in plugins]
        record["extras"] = [asdict(extra) | {"remedy": extra.remedy} for extra in extras]
        streams.say_json(record | {"warnings": warnings, "ok": not broken})
    else:
        streams.show(_tables(versions, plugins, extras))
        for warning in warnings:
            streams.talk(f"warning: {warning}")
        for error in broken:
            streams.talk(f"not usable: {error}")
    return FAILED if broken else 0


def _migrate(path: Path, as_json: bool) -> int:
    """Print the edits of a plugin's files; return the exit code."""
    found = list(migrations(path))
    if as_json:
        streams.say_json(
            {
                "files": [
                    {"path": str(one.path), "diff": one.diff, "remarks": one.remarks}
                    for one in found
                ]
            }
        )
        return 0
    for one in found:
        streams.say(one.diff)
        for remark in one.remarks:
            streams.talk(f"{one.path}, {remark}")
    if not found:
        streams.talk(f"{path}: all imports are of this version")
    return 0


def extras_of(distribution: str) -> list[Extra]:
    """Return the extras of an installed distribution, with their missing packages.

    Examples
    --------
    >>> "cli" in [extra.name for extra in extras_of("valor-core")]
    True
    """
    try:
        facts = metadata(distribution)
    except PackageNotFoundError:
        return []
    wanted = [Requirement(line) for line in facts.get_all("Requires-Dist") or ()]
    packages = {
        extra: [one.name for one in wanted if _is_of(extra, one) and one.name != distribution]
        for extra in facts.get_all("Provides-Extra") or ()
        if extra != "dev"
    }
    return [
        Extra(distribution, name, tuple(p for p in needed if _version(p) == "missing"))
        for name, needed in packages.items()
    ]


def _is_of(extra: str, requirement: Requirement) -> bool:
    """Return whether only this extra installs a requirement in this environment."""
    marker = requirement.marker
    return (
        marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate(_NO_EXTRA)
    )


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "missing"


def _tables(
    versions: dict[str, str],
    plugins: Iterable[PluginCheck],
    extras: Iterable[Extra],
) -> Iterable[TextTable]:
    yield TextTable("Versions", ["what", "version"], [[k, v] for k, v in versions.items()])
    yield TextTable(
        "Plugins",
        ["namespace", "distribution", "version", "state", "kernels"],
        [
            [p.namespace, p.distribution, p.version, _state(p.errors, p.holds), p.kernels]
            for p in plugins
        ],
    )
    rows = [row for extra in extras for row in _rows(extra)]
    if rows:
        yield TextTable("Extras", ["distribution", "extra", "state", "install it with"], rows)


def _rows(extra: Extra) -> Iterator[Row]:
    """Yield a row for an extra, and one for each alternative way to install it."""
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
