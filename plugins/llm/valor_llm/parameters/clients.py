"""Parameters of the clients."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class LexicalParameters:
    """Parameters of the lexical stand-in."""


@parameters
class RecordedParameters:
    """Parameters of the client that says what a file has."""

    file: Path = parameter(help="File of the replies, in JSON Lines.")
