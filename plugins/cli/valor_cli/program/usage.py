"""Usage errors of click, worded as all other errors of Valor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from valor_core.errors import did_you_mean, short_repr


@contextmanager
def usage_errors_of(context: click.Context) -> Iterator[None]:
    """Attach the command's context to usage errors, since click does not always do so.

    Parameters
    ----------
    context : Context
        Context of the command that parses its arguments.
    """
    try:
        yield
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise


def usage_message(error: click.ClickException) -> str:
    """Return the message and the remedy for a usage error.

    Parameters
    ----------
    error : ClickException
        Error raised by click.

    Examples
    --------
    >>> context = click.Context(click.Command("run"), info_name="valor run")
    >>> print(usage_message(click.UsageError("Got an odd thing.", context)))
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
        names = [name for one in context.command.get_params(context) for name in one.opts]
        remedy = _as_setting(error, commands) or did_you_mean(error.option_name, names) or remedy
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
    """Suggest ``--set`` for an unknown option of `valor run` that is a key of configs."""
    if commands[-1:] != ["run"]:
        return None
    from valor_cli.config.schema import RunConfig
    from valor_core.parameters import parameters_of

    key = error.option_name.lstrip("-").replace("-", "_")
    if key not in [entry.name for entry in parameters_of(RunConfig)]:
        return None
    return f"Write it as: --set {key}=VALUE"


def _is_flag(error: click.BadOptionUsage) -> bool:
    params = () if error.ctx is None else error.ctx.command.params
    named = [one for one in params if error.option_name in one.opts]
    return any(isinstance(one, click.Option) and one.is_flag for one in named)


def name_of(parameter: click.Parameter) -> str:
    """Return the longest name of an option, or the name of an argument in capitals."""
    if isinstance(parameter, click.Argument):
        return parameter.metavar or (parameter.name or "").upper()
    return max(parameter.opts, key=len)


def check_no_extra_arguments(context: click.Context, extra: list[str]) -> None:
    """Raise a `UsageError` if there are more arguments than the command accepts."""
    if not extra:
        return
    params = context.command.params
    accepted = [name_of(one) for one in params if isinstance(one, click.Argument)]
    expected = f"only {' and '.join(accepted)}" if accepted else "no arguments"
    context.fail(f"expected {expected}, got also {', '.join(map(short_repr, extra))}")


def _sentence(text: str) -> str:
    """Lower the first letter of a sentence and remove its full stop, as in error messages."""
    return f"{text[:1].lower()}{text[1:]}".removesuffix(".")
