from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import click
import pytest
from attrs import frozen
from cases import for_each
from valor_testing import ConformanceError, check_plugin

from valor_core.errors import SchemaError
from valor_core.parameters import parameter, parameters
from valor_core.specs import CommandSpec, GallerySpec, Registry, Spec, hookimpl


def count(arguments: list[str]) -> int:
    """Count words; keeps all laws."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    print(len(parser.parse_args(arguments).words))
    return 0


def quiet(arguments: list[str]) -> None: ...


def read(arguments: list[str]) -> None:
    Path(arguments[0]).read_text(encoding="utf-8")


def count_of(arguments: list[str], of: str) -> int:
    return arguments.count(of)


def check_spelling(arguments: list[str]) -> int:
    print("unknown option")
    return 2


@click.group()
def rank() -> None:
    """Rank words; keeps all laws."""


@rank.command()
@click.argument("words", nargs=-1)
def first(words: tuple[str, ...]) -> int:
    """Print the first word."""
    click.echo(min(words))
    return 0


@click.group()
def ranks() -> None:
    """Rank words."""


class _Failing(click.Command):
    def format_help(self, context: Any, formatter: Any) -> None:
        raise click.ClickException("no help")


class _Exiting(click.Command):
    def get_help(self, context: Any) -> str:
        raise SystemExit(3)


class _Silent(click.Command):
    def get_help(self, context: Any) -> str:
        return ""


ranks.add_command(_Exiting("last"))
failing = _Failing("failing")
silent = _Silent("silent")
number = 3


class Wall:
    """Gallery that keeps all laws."""

    legend: ClassVar[Any] = {"long": "crimson"}

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def errors(self, batch: Any) -> Any:
        return [len(str(uid)) for uid in batch.datums.uids.tolist()]

    def draw(self, batch: Any) -> Any:
        return Drawn(b"", {"letters": 1})


@frozen
class Drawn:
    """Picture."""

    image: bytes
    counts: Any


class Choosy(Wall):
    """Gallery that rejects some data; keeps all laws."""

    def errors(self, batch: Any) -> Any:
        if "m1" in batch.datums.uids.tolist():
            raise SchemaError("items: expected others")
        return super().errors(batch)


class Shower(Wall):
    """Gallery that uses item rows; keeps all laws."""

    shows = "text.ROUGE"

    def take(self, rows: Any) -> None: ...


class Deaf(Shower):
    take: Any = None


class Blank:
    def __init__(self, parameters: Any) -> None: ...


class Late(Wall):
    def draw(self, batch: Any, number: int) -> Any: ...


class Uncounted(Wall):
    def errors(self, batch: Any) -> Any:
        return [1]


class Infinite(Wall):
    def errors(self, batch: Any) -> Any:
        return [float("nan")] * len(batch)


class Undrawn(Wall):
    def draw(self, batch: Any) -> Any: ...


class Worded(Wall):
    def draw(self, batch: Any) -> Any:
        return Drawn(b"", {"letters": "one"})


class Crashing(Wall):
    def draw(self, batch: Any) -> Any:
        return 1 / 0


class Unnamed(Wall):
    legend: ClassVar[Any] = ("crimson",)


@parameters
class Folder:
    """Parameters of a gallery."""

    folder: str = parameter(help="Folder of images.")


def check(spec: Spec) -> None:
    """Check a plugin with one component."""
    module: Any = ModuleType("walls_plugin")
    hook = "valor_commands" if isinstance(spec, CommandSpec) else "valor_galleries"
    setattr(module, hook, hookimpl(lambda: [spec], specname=hook))
    registry = Registry()
    registry.register("walls", module)
    check_plugin("walls", registry)


def command(code: str) -> CommandSpec:
    return CommandSpec(name="walls.rank", summary="Rank", implementation=f"{__name__}:{code}")


def gallery(code: str, **facts: Any) -> GallerySpec:
    values: dict[str, Any] = {"name": "walls.Wall", "task": "detection", "summary": "Pictures"}
    return GallerySpec(**values, implementation=f"{__name__}:{code}", **facts)


@pytest.mark.parametrize("code", ["count", "rank"])
def test_valid_command_keeps_all_laws(code: str) -> None:
    check(command(code))


@for_each(
    ("code", "finding"),
    [
        ("nowhere", "cannot be imported"),
        ("number", "test_command_laws:number to be a class or a function"),
        ("Wall", "expected a click command or a function, found <class"),
        ("count_of", "'of'; write it as: def count_of(arguments)"),
        ("quiet", "rank --help: expected a text, found none"),
        ("read", "FileNotFoundError"),
        ("check_spelling", "rank --help: expected the exit code 0, found 2"),
        ("failing", "ClickException: no help"),
        ("ranks", "rank last --help: expected the exit code 0, found 3"),
        ("silent", "rank --help: expected a text, found none"),
    ],
)
def test_command_that_cannot_be_called_is_reported(code: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check(command(code))

    assert finding in str(caught.value)


@pytest.mark.parametrize("code", ["Wall", "Choosy", "Shower"])
def test_valid_gallery_keeps_all_laws(code: str) -> None:
    check(gallery(code))


@for_each(
    ("code", "finding"),
    [
        ("Blank", "expected a method errors(batch), found None"),
        ("Late", "expected draw(batch), missing a required argument: 'number'"),
        ("Deaf", "expected a method take(rows), found None"),
        ("Uncounted", "errors: expected a number for each of 2 items, found shape (1,)"),
        ("Infinite", "errors: expected finite numbers"),
        ("Undrawn", "draw: expected a Picture or MarkedTexts, found None"),
        ("Worded", "expected numbers in counts, 'letters' is 'one'"),
        ("Crashing", "ZeroDivisionError"),
        ("Unnamed", "legend: expected colors by word"),
    ],
)
def test_broken_gallery_is_reported(code: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check(gallery(code))

    assert finding in str(caught.value)


def test_gallery_with_required_parameters_has_its_methods() -> None:
    check(gallery("Wall", parameters=Folder))
    with pytest.raises(ConformanceError, match=r"expected a method errors\(batch\), found None"):
        check(gallery("Blank", parameters=Folder))
