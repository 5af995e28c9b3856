"""The program: its commands, loaded when asked for, and how it ends.

Exit codes: 0 done; 1 finished, but items or metrics failed or a requirement is not met; 2 the
request was wrong; 130 stopped by the user.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

import click

from valor_core.cli import streams
from valor_core.errors import RunInterrupted, ValorError, did_you_mean

TRACEBACK = "VALOR_TRACEBACK"
INTERRUPTED = 130
WRONG = 2

COMMANDS = {
    "Evaluate": {
        "run": "Evaluate what a config says and report it.",
        "rerun": "Evaluate again what a saved report says.",
        "merge": "Merge saved states of one config into a report.",
        "compare": "Say what changed from one report to another.",
    },
    "Find out": {
        "list": "List the metrics that can be chosen by name.",
        "show": "Show what a metric, reader or resource is and takes.",
        "schema": "Print the JSON Schema of configs, for editors.",
        "doctor": "Check the installation and its plugins.",
    },
    "Extend": {
        "new-plugin": "Make a plugin to start from.",
    },
}
_MODULES = {"list": "listing", "new-plugin": "new_plugin"}


class Program(click.Group):
    """A group whose commands are imported when they run, and that never shows a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and leave with its exit code."""
        streams.prepare()
        try:
            code = super().main(*args, **kwargs | {"standalone_mode": False}) or 0
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            streams.talk("valor: stopped")
            code = INTERRUPTED
        except RunInterrupted as error:
            code = _refused(error, INTERRUPTED)
        except ValorError as error:
            code = _refused(error, WRONG)
        except Exception as error:
            code = _broken(error)
        streams.finish()
        sys.exit(code)

    def list_commands(self, context: click.Context) -> list[str]:
        """Names of all commands, in the order of the help."""
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command, imported now."""
        if name not in self.list_commands(context):
            return None
        module = importlib.import_module(f"valor_core.cli.{_MODULES.get(name, name)}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names, or an error with the nearest name."""
        name = args[0]
        if name not in self.list_commands(context) and not name.startswith("-"):
            remedy = did_you_mean(name, self.list_commands(context))
            context.fail(f"No such command {name!r}.{f' {remedy}' if remedy else ''}")
        return super().resolve_command(context, args)

    def format_commands(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The commands in groups, without importing any."""
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def _refused(error: ValorError, code: int) -> int:
    if _traceback_wanted():
        _print_traceback()
    else:
        notes = getattr(error, "__notes__", ())
        streams.talk("\n".join([f"valor: {error}", *notes]))
    return code


def _broken(error: Exception) -> int:
    if _traceback_wanted():
        _print_traceback()
    else:
        streams.talk(
            f"valor: {type(error).__name__}: {str(error) or 'no message'}; "
            "this is a bug in valor or a plugin\n"
            f"See where it comes from with: {TRACEBACK}=1 valor …, or the option --traceback"
        )
    return WRONG


def _traceback_wanted() -> bool:
    return os.environ.get(TRACEBACK, "") not in ("", "0") or "--traceback" in _arguments()


def _arguments() -> Sequence[str]:
    context = click.get_current_context(silent=True)
    return context.args if context is not None else _given


_given: list[str] = []


def _print_traceback() -> None:
    import traceback

    streams.talk(traceback.format_exc().rstrip())
