"""Parameters of the clients."""

from __future__ import annotations

from valor_core.parameters import parameters


@parameters
class LexicalParameters:
    """Parameters of the lexical stand-in."""
