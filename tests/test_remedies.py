"""Commands and values in remedies of the recorded messages can be typed as they are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from valor_cli.program.program import program

from valor_core import Registry
from valor_core.specs import meaning_of

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path for folder in ("tests", "plugins") for path in (ROOT / folder).rglob("messages.txt")
)
LINES = {line.strip() for file in FILES for line in file.read_text(encoding="utf-8").splitlines()}
COMMAND = re.compile(r"(?:^|: |\bor )((?:valor|pip|uv) [a-z]\S* ?[^…]*|export \w+=[^ ]*)$")
TABLES = re.compile(r"^Write (?:it|them) as: ([{\[].*[}\]])\.?$")
TASKS = ("classification", "detection", "segmentation", "text")


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


def test_messages_have_commands_and_values() -> None:
    assert len(found(COMMAND)) > 10
    assert len(found(TABLES)) > 5


@pytest.mark.parametrize("command", found(COMMAND))
def test_command_in_a_remedy_parses(command: str) -> None:
    first, *rest = shlex.split(command.rstrip("."))
    if first == "valor":
        parse(rest)
    elif first == "export":
        assert re.fullmatch(r"\w+=.+", rest[0])
    else:
        assert rest[:1] in (["install"], ["sync"], ["pip"])


@pytest.mark.parametrize(
    "written", [one for table in found(TABLES) if "…" not in table for one in table.split(" or ")]
)
def test_table_in_a_remedy_names_parameters_that_the_metric_has(written: str) -> None:
    value: Any = yaml.safe_load(written)
    name = value.pop("name", None) if isinstance(value, dict) else None
    if name is None or name.startswith("courtroom."):
        return
    registry = Registry()
    tasks = (None,) if "." in name else TASKS
    value.pop("exact", None)  # what the test of this message typed
    spec = next(meaning_of(name, registry, task).spec for task in tasks)
    assert value.keys() <= {entry.name for entry in spec.parameter_class.__attrs_attrs__}
