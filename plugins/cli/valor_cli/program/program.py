"""The program ``valor``: lazily imported commands, error messages and exit codes.

Exit codes: 0 success; 1 finished, but items or metrics failed or a requirement is not met; 2
invalid request; 130 stopped by the user or the system.
"""

from __future__ import annotations

import importlib
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NoReturn

import click

from valor_cli import INTERRUPTED
from valor_cli.program import streams
from valor_cli.program.command import explain, module_option, modules
from valor_cli.program.usage import usage_errors_of, usage_message
from valor_core.errors import ReportError, UnknownNameError, ValorError, did_you_mean
from valor_core.packages import version_of

if TYPE_CHECKING:
    from valor_core.specs import CommandSpec, Registry

WRONG = 2

COMMANDS = {
    "Evaluate": {
        "init": "Write a config for data files, with questions about missing settings.",
        "run": "Run the evaluation of a config, or metrics on data files.",
        "rerun": "Repeat the evaluation of a saved report.",
        "merge": "Merge saved states of one config into a report.",
        "view": "Show a report, its items and thresholds in the browser.",
        "compare": "Compare two reports, or rank several by their main numbers.",
    },
    "Find out": {
        "list": "List the installed metrics.",
        "show": "Describe a metric, reader, engine or other component.",
        "schema": "Print the JSON Schema of configs, for editors.",
        "doctor": "Check the installation and its plugins.",
    },
    "Extend": {
        "new-plugin": "Create a plugin from a template.",
    },
}
BUILT_IN = tuple(name for commands in COMMANDS.values() for name in commands)


class Program(click.Group):
    """Group of lazily imported commands that prints errors without tracebacks by default."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with its code."""
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
            with _interrupted_by_signals():
                code = super().main(*args, **kwargs | {"standalone_mode": False})
                return code if isinstance(code, int) else 0
        except click.ClickException as error:
            streams.talk(f"valor: {usage_message(error)}")
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            streams.talk("valor: stopped")
            return INTERRUPTED

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse arguments, and print help or the version."""
        try:
            with streams.written(sys.stdout), usage_errors_of(context):
                return super().parse_args(context, args)
        except ValorError as error:  # --help lists the commands of --module
            explain(context, str(error), ())
            context.exit(WRONG)

    def invoke(self, context: click.Context) -> Any:
        """Run the command and return its exit code; print errors as messages."""
        with warnings.catch_warnings():
            warnings.showwarning = streams.warn
            try:
                return super().invoke(context)
            except ValorError as error:
                explain(context, str(error), getattr(error, "__notes__", ()))
                return WRONG
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:
                from valor_report.output_files import SHOW_TRACEBACK, bug_message

                explain(context, bug_message(error), (SHOW_TRACEBACK,))
                return WRONG

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return [*BUILT_IN, *(name for name, _ in _of_plugins(_registry(context)))]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import a command."""
        if name in BUILT_IN:
            module = importlib.import_module(f"valor_cli.commands.{name.replace('-', '_')}")
            built_in: click.Command = module.command
            return built_in
        from valor_cli.program.plugin_command import of_plugin

        return of_plugin(_found(_registry(context), name))

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command named by the first argument, or suggest the closest name."""
        name = args[0]
        if name not in BUILT_IN and not name.startswith("-"):
            registry = _registry(context)
            try:
                _found(registry, name)
            except UnknownNameError as error:
                plugins = [command for command, _ in _of_plugins(registry)]
                names = [*BUILT_IN, *plugins, "--help", "--version"]
                remedy = did_you_mean(name, names) or "See: valor --help"
                if Path(name).exists():
                    remedy = f"Write: valor run {quote(name)}"
                elif "--module" in args:  # an option of the command, which is not known yet
                    remedy = f"Write the option first: valor --module FILE {name} …"
                raise UnknownNameError(f"unknown command {name!r}", remedy) from error
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, with a group for each plugin, without importing any."""
        groups = {title: list(commands.items()) for title, commands in COMMANDS.items()}
        registry = _registry(context)
        for called, spec in _of_plugins(registry):
            name, version = registry.distribution(spec)
            rows = groups.setdefault(f"From {name} {version}".rstrip(), [])
            rows.append((called, spec.summary))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _registry(context: click.Context) -> Registry:
    """Return the registry, created on first use: finding plugins takes 0.1 s."""
    from valor_cli.config.modules import registry_with

    if context.obj is None:
        context.obj = registry_with(modules(context))
    found: Registry = context.obj
    return found


def _found(registry: Registry, name: str) -> CommandSpec:
    from valor_core.specs import CommandSpec

    return registry.find(CommandSpec, name)


def _of_plugins(registry: Registry) -> list[tuple[str, CommandSpec]]:
    """Return names and specs of plugins' commands that no built-in command hides."""
    from valor_cli.program.plugin_command import called
    from valor_core.specs import CommandSpec

    commands = [(called(spec), spec) for spec in registry.all(CommandSpec)]
    return [(name, spec) for name, spec in commands if name not in BUILT_IN]


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP as Ctrl-C, so that finished work is kept.

    An ignored signal stays ignored, such as SIGHUP under nohup.
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


def _say_version(context: click.Context, option: click.Parameter, is_asked: bool) -> None:
    """Print the version; click's `version_option` takes 20 ms to find it."""
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
@module_option
@click.pass_context
def program(context: click.Context) -> None:
    """Evaluation metrics, selected by name in a config file.

    \b
    valor list                         list the installed metrics
    valor show classification.F1       describe a metric and its parameters
    valor run config.yaml -o out.html  run an evaluation

    Results are printed on standard output; messages on standard error.
    """  # noqa: D301
    if context.invoked_subcommand is None:
        streams.say(context.get_help())
