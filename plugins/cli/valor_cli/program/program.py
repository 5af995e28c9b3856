"""The program: its commands, loaded when asked for, and how it ends.

Exit codes: 0 done; 1 finished, but items or metrics failed or a requirement is not met; 2 the
request was wrong; 130 stopped by the user or the system.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from valor_cli import INTERRUPTED
from valor_cli.program import streams
from valor_cli.program.command import traceback_wanted
from valor_cli.program.usage import explained, given_to
from valor_core.errors import ReportError, UnknownNameError, ValorError, did_you_mean
from valor_core.packages import version_of

if TYPE_CHECKING:
    from valor_core.specs import CommandSpec, Registry

TRACEBACK = "VALOR_TRACEBACK"
WRONG = 2

COMMANDS = {
    "Evaluate": {
        "init": "Write a config for some data, asking what they do not tell.",
        "run": "Evaluate what a config says, or metrics on files of data.",
        "rerun": "Evaluate again what a saved report came from.",
        "merge": "Merge saved states of one config into a report.",
        "compare": "Say what changed from one report to another.",
    },
    "Find out": {
        "list": "List the metrics that can be chosen by name.",
        "show": "Show what a metric, reader, engine or the like is and takes.",
        "schema": "Print the JSON Schema of configs, for editors.",
        "doctor": "Check the installation and its plugins.",
    },
    "Extend": {
        "new-plugin": "Make a plugin to start from.",
    },
}
BUILT_IN = tuple(name for commands in COMMANDS.values() for name in commands)


class Program(click.Group):
    """A group whose commands are imported when they run, and that shows no traceback unasked."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and leave with its exit code."""
        streams.prepare()
        try:
            code = self._code(*args, **kwargs)
            streams.finish()
        except ReportError as error:
            streams.talk(f"valor: {error}")
            code = WRONG
        sys.exit(code)

    def _code(self, *args: Any, **kwargs: Any) -> int:
        try:
            with _stopped_by_the_system():
                code = super().main(*args, **kwargs | {"standalone_mode": False})
                return code if isinstance(code, int) else 0
        except click.ClickException as error:
            streams.talk(f"valor: {explained(error)}")
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            streams.talk("valor: stopped")
            return INTERRUPTED

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """As click does; this is where help and version are printed."""
        with streams.written(sys.stdout), given_to(context):
            return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        """The exit code of the command; an error becomes its message."""
        with warnings.catch_warnings():
            warnings.showwarning = streams.warn
            try:
                return super().invoke(context)
            except ValorError as error:
                _explain(context, str(error), getattr(error, "__notes__", ()))
                return WRONG
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:
                _explain(
                    context,
                    f"{type(error).__name__}: {error}; this is a bug in valor or a plugin",
                    (f"See where it comes from with: {TRACEBACK}=1 valor …",),
                )
                return WRONG

    def list_commands(self, context: click.Context) -> list[str]:
        """Names of all commands, in the order of the help."""
        return [*BUILT_IN, *(name for name, _ in _of_plugins(_registry(context)))]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command, imported now."""
        if name in BUILT_IN:
            module = importlib.import_module(f"valor_cli.commands.{name.replace('-', '_')}")
            own: click.Command = module.command
            return own
        from valor_cli.program.plugin_command import of_plugin

        return of_plugin(_found(_registry(context), name))

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, or an error with the nearest name."""
        name = args[0]
        if name not in BUILT_IN and not name.startswith("-"):
            registry = _registry(context)
            try:
                _found(registry, name)
            except UnknownNameError as error:
                plugins = [known for known, _ in _of_plugins(registry)]
                known = [*BUILT_IN, *plugins, "--help", "--version"]
                remedy = did_you_mean(name, known) or "See: valor --help"
                if Path(name).exists():
                    remedy = f"Write: valor run {name}"
                raise UnknownNameError(f"unknown command {name!r}", remedy) from error
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in groups, those of plugins by plugin, without importing any."""
        groups = {title: list(commands.items()) for title, commands in COMMANDS.items()}
        registry = _registry(context)
        for called, spec in _of_plugins(registry):
            name, version = registry.distribution(spec)
            rows = groups.setdefault(f"From {name} {version}", [])
            rows.append((called, spec.summary))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _registry(context: click.Context) -> Registry:
    """The plugins, which are looked for when a command needs them: that takes 0.1 s."""
    from valor_core.specs import Registry

    return context.ensure_object(Registry)


def _found(registry: Registry, name: str) -> CommandSpec:
    from valor_core.specs import CommandSpec

    return registry.find(CommandSpec, name)


def _of_plugins(registry: Registry) -> list[tuple[str, CommandSpec]]:
    """The commands of plugins that are called otherwise than those of this program, by name."""
    from valor_cli.program.plugin_command import called
    from valor_core.specs import CommandSpec

    commands = [(called(spec), spec) for spec in registry.all(CommandSpec)]
    return [(name, spec) for name, spec in commands if name not in BUILT_IN]


@contextmanager
def _stopped_by_the_system() -> Iterator[None]:
    """A block that SIGTERM, or a closed terminal, stops as the user would.

    What was finished is kept. A signal that is ignored stays so, as SIGHUP under nohup.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    handlers = {
        number: signal.signal(number, signal.default_int_handler)
        for number in numbers
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _explain(context: click.Context, message: str, notes: tuple[str, ...]) -> None:
    if traceback_wanted(context) or os.environ.get(TRACEBACK, "0") not in ("", "0"):
        import traceback

        streams.talk(traceback.format_exc().rstrip())
    else:
        streams.talk("\n".join([f"valor: {message}", *notes]))


def _say_version(context: click.Context, option: click.Parameter, is_asked: bool) -> None:
    """Print the version; click's own option takes 20 ms to find out which that is."""
    if is_asked and not context.resilient_parsing:
        streams.say(f"valor {version_of('valor-core')}")
        context.exit()


@click.group(
    "valor",
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_say_version,
    help="Show the version and exit.",
)
@click.pass_context
def program(context: click.Context) -> None:
    """Evaluation metrics, chosen by name in a config file.

    \b
    valor list                         what can be measured
    valor show classification.F1       what a metric is and takes
    valor run config.yaml -o out.html  measure it

    What is asked for is printed on standard output, what there is to say about it on standard
    error.
    """  # noqa: D301
    if context.invoked_subcommand is None:
        streams.say(context.get_help())
