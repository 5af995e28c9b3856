"""Commands: one of `valor` with a file that may be wrong, and how it may end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from click.testing import CliRunner
from valor_cli.program.command import TRACEBACK
from valor_cli.program.program import program

_CODES = (0, 1, 2)
_FAULTS = re.compile(r"this is a bug in|Traceback|[^\n\t -~\u00a0-\U0010ffff]|[\u202a-\u202e]")
"""What nobody should see: an error that is not explained, or characters that change a terminal."""


def said_by(arguments: Sequence[str]) -> str:
    """Exit code and both outputs of a command, which has to end as it should.

    Raises
    ------
    AssertionError
        If it ends with another exit code, or says what nobody should see.
    """
    done = CliRunner().invoke(program, list(arguments), prog_name="valor")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    said = f"exit {done.exit_code} {done.stderr}\n{done.stdout}"
    if done.exit_code not in _CODES:
        raise AssertionError(f"{said}\nexpected an exit code of {_CODES}, found {done.exit_code}")
    if fault := _FAULTS.search(done.stderr):
        again = CliRunner(env={TRACEBACK: "1"}).invoke(program, list(arguments), prog_name="valor")
        raise AssertionError(f"{said}\n{again.stderr}\nfound {fault[0]!r} among the messages")
    return said
