"""Valor's command line: the program ``valor``, its configs and its plugin template."""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130

_GARBAGE = 50_000
"""Allocations between two garbage collections; Python's default is 700. Modules and classes live
until the process ends, and scanning them repeatedly takes a tenth of a short command."""


def main() -> None:
    """Run the program; exit with 130 if the user interrupts it."""
    gc.set_threshold(_GARBAGE)
    try:
        from valor_cli.program.program import program

        program(prog_name="valor")
    except KeyboardInterrupt:
        print("valor: stopped", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    finally:
        # The process is about to end; a last garbage collection would take a sixth of a short run.
        gc.freeze()
