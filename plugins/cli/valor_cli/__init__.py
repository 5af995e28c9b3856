"""Valor's command line: ``valor``, its configs, the pages it draws and the plugins it begins."""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130

_GARBAGE = 50_000
"""Objects that are made before garbage is looked for, 700 otherwise. A command makes modules and
classes that stay; to go through them again and again took a tenth of a short one."""


def main() -> None:
    """Run the program; stopped by the user at any moment, it says so and leaves with 130."""
    gc.set_threshold(_GARBAGE)
    try:
        from valor_cli.program.program import program

        program(prog_name="valor")
    except KeyboardInterrupt:
        print("valor: stopped", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    finally:
        # All that is left ends with the process; to look for circles in it takes a sixth of a run.
        gc.freeze()
