"""Commands and tables in the remedies of error messages are valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from valor_cli.program.program import program

from valor_core import Registry, packages
from valor_core.errors import ParameterError
from valor_core.packages import version_of
from valor_core.parameters import parameters_from
from valor_core.specs import MetricSpec
from valor_core.specs.query import ResolvedName

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path for folder in ("tests", "plugins") for path in (ROOT / folder).rglob("messages.txt")
)
LINES = {line.strip() for file in FILES for line in file.read_text(encoding="utf-8").splitlines()}
COMMAND = re.compile(r"(?:^|: |\bor )((?:valor|pip|uv) [a-z]\S* ?[^…]*|export \w+=[^ ]*)$")


def found(pattern: re.Pattern[str]) -> list[str]:
    matches = filter(None, map(pattern.search, LINES))
    return sorted({match[1] for match in matches})


def parse(words: list[str]) -> None:
    """Parse the words of a command without running it."""
    context = program.make_context("valor", words)
    command: click.Command = program
    while isinstance(command, click.Group):
        words = [*context._protected_args, *context.args]
        name, inner, rest = command.resolve_command(context, words)
        assert inner is not None
        command, context = inner, inner.make_context(name, rest, parent=context)


def test_messages_have_commands() -> None:
    assert len(found(COMMAND)) > 8


@pytest.mark.parametrize("command", found(COMMAND))
def test_commands_in_remedies_parse(command: str) -> None:
    first, *rest = shlex.split(command.rstrip("."))
    if first == "valor":
        parse(rest)
    elif first == "export":
        assert re.fullmatch(r"\w+=.+", rest[0])
    else:
        assert rest[:1] in (["install"], ["sync"], ["pip"])


def test_metric_tables_in_remedies_are_valid() -> None:
    registry = Registry()
    wrong = []
    for spec in registry.all(MetricSpec):
        for known in spec.parameter_aliases:
            name = known.name.replace("#", "2").replace("%", "50")
            written = str(ResolvedName(spec, known.meaning(name) or {}))
            table: Any = yaml.safe_load(written)
            again = registry.metric(table.pop("name"))
            try:
                parameters_from(again.parameter_class, table, "")
            except ParameterError as error:
                if "needs" not in str(error) and "missing" not in str(error):
                    wrong.append(f"{spec.name}: {written}: {error}")

    assert wrong == []


def test_command_names_folders_of_missing_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "PUBLISHED", False)
    missing = {"valor-detection", "valor-intervals", "valor-llm"}
    monkeypatch.setattr(
        packages, "version_of", lambda name: None if name in missing else version_of(name)
    )

    def folders(requirement: str) -> list[str]:
        return re.findall(r"plugins/([a-z]+(?:\[[a-z,]+\])?)", packages.ways(requirement))

    assert folders("valor-segmentation[coco]") == ["detection", "segmentation[coco]"]
    assert folders("valor-segmentation[images]") == ["segmentation[images]"]
    assert folders("valor-rgb[llm]") == ["intervals", "llm", "rgb[llm]"]
