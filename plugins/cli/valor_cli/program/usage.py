"""Usage: what a command line should have been, said as every other error is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from valor_core.errors import did_you_mean, shown


@contextmanager
def given_to(context: click.Context) -> Iterator[None]:
    """A block that parses what a command was given; errors say which command, as click's may not.

    Parameters
    ----------
    context : Context
        The command's.
    """
    try:
        yield
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise


def explained(error: click.ClickException) -> str:
    """Message and remedy for a command line that click refuses.

    Parameters
    ----------
    error : ClickException
        What click says.

    Examples
    --------
    >>> context = click.Context(click.Command("run"), info_name="valor run")
    >>> print(explained(click.UsageError("Got an odd thing.", context)))
    run: got an odd thing
    See: valor run --help
    """
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return _sentence(error.format_message())
    program, *commands = context.command_path.split()
    place = "".join(f"{command}: " for command in commands)
    remedy = f"See: {' '.join([program, *commands])} --help"
    if isinstance(error, click.NoSuchOption):
        known = [name for one in context.command.get_params(context) for name in one.opts]
        remedy = _as_setting(error, commands) or did_you_mean(error.option_name, known) or remedy
    return f"{place}{_finding(error)}\n{remedy}"


def _finding(error: click.ClickException) -> str:
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"expected {name_of(error.param)}, got nothing"
    if isinstance(error, click.NoSuchOption):
        return f"unknown option {error.option_name!r}"
    if isinstance(error, click.BadOptionUsage):
        wanted = "no value, got one" if _is_flag(error) else "a value, got nothing"
        return f"{error.option_name}: expected {wanted}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{name_of(error.param)}: {_sentence(error.message)}"
    return _sentence(error.format_message())


def _as_setting(error: click.NoSuchOption, commands: list[str]) -> str | None:
    """The setting for an option of `valor run` that is called like a key of a config."""
    if commands[-1:] != ["run"]:
        return None
    from valor_cli.config.schema import RunConfig
    from valor_core.parameters import declared

    key = error.option_name.lstrip("-").replace("-", "_")
    values = {"slices": "FIELD", "require": '\'{"Accuracy": ">= 0.9"}\''}
    if key not in [entry.name for entry in declared(RunConfig)]:
        return None
    return f"Write it as: --set {key}={values.get(key, 'VALUE')}"


def _is_flag(error: click.BadOptionUsage) -> bool:
    known = () if error.ctx is None else error.ctx.command.params
    mine = [one for one in known if error.option_name in one.opts]
    return any(isinstance(one, click.Option) and one.is_flag for one in mine)


def name_of(parameter: click.Parameter) -> str:
    """What people call a parameter: the longest name of an option, an argument in capitals."""
    if isinstance(parameter, click.Argument):
        return parameter.metavar or (parameter.name or "").upper()
    return max(parameter.opts, key=len)


def check_nothing_is_left(context: click.Context, left: list[str]) -> None:
    """Raise a `UsageError` if there are more arguments than a command takes."""
    if not left:
        return
    params = context.command.params
    taken = [name_of(one) for one in params if isinstance(one, click.Argument)]
    expected = f"only {' and '.join(taken)}" if taken else "no arguments"
    context.fail(f"expected {expected}, got also {', '.join(map(shown, left))}")


def _sentence(text: str) -> str:
    """A sentence as messages have it: without capital and full stop."""
    return f"{text[:1].lower()}{text[1:]}".removesuffix(".")
