"""The command line: ``valor``, which needs the extra ``cli``."""

from __future__ import annotations

import gc
import importlib.util
import sys

from valor_core.installer import install

INTERRUPTED = 130
_NEEDED = {"click": "click", "packaging": "packaging", "rich": "rich", "yaml": "PyYAML"}


def main() -> None:
    """Run the program; stopped by the user at any moment, it says so and leaves with 130."""
    try:
        _run()
    except KeyboardInterrupt:
        print("valor: stopped", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    finally:
        # All that is left ends with the process; to look for circles in it takes a sixth of a run.
        gc.freeze()


def _run() -> None:
    """Run the program, or say what to install where its packages are missing."""
    missing = [name for module, name in _NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        print(
            f"valor: the command line needs packages that are not installed: {', '.join(missing)}\n"
            f"Install them with: {install('valor-core[cli]')}\n"
            f"or, from a clone: {install('-e', '.[cli]')}",
            file=sys.stderr,
        )
        raise SystemExit(2)
    from valor_core.cli.program import program

    program(prog_name="valor")
