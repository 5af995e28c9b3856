"""Check the code that authors of plugins start from with mypy --strict and pyright.

Usage: python tests/checked_types/check.py [--fast]

The code is each variant of ``valor new-plugin``, the files in the guides, and `contract.py`.
Pyright runs in its default mode, as in editors; the dependency group ``types`` installs it. With
``--fast``, mypy checks the guides and `contract.py` only. ``setup.py`` is not checked: the classes
of setuptools that it extends contradict each other.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs"
EXCLUDED = {
    "hosts.md": "its files need other programs",
    "recipes.md": "its file needs Hydra",
    "evaluate.md": "its file overrides a method of Hugging Face evaluate with other parameters",
    "metrics/hf/Module.md": "as evaluate.md",
    "upgrading.md": "its file is for an earlier version",
}
"""Pages of the docs whose files are not checked, with the reason."""

GUIDES = tuple(
    page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).as_posix() not in EXCLUDED
)

sys.path.append(str(HERE.parent / "fixtures"))
from page_blocks import blocks  # noqa: E402


def write_guides(folder: Path, pages: Sequence[Path] = GUIDES) -> Path:
    """Write the Python files in guides to a new folder."""
    folder.mkdir()
    for page in pages:
        for block in blocks(page):
            if block.file is not None and block.file.endswith(".py"):
                path = folder / block.file
                if path.exists():
                    raise SystemExit(f"{page}: expected a new name, two guides have {block.file}")
                path.write_text(block.text, encoding="utf-8")
    return folder


def write_plugins(folder: Path) -> Iterator[Path]:
    """Create a plugin with each flag of ``valor new-plugin``, and one without; yield folders."""
    import click
    from click.testing import CliRunner
    from valor_cli.commands.new_plugin import command
    from valor_cli.program.program import program

    options = (one for one in command.params if isinstance(one, click.Option) and one.is_flag)
    flags = (one.opts[0] for one in options if one.name not in ("as_json", "traceback"))
    for flag in ("", *flags):
        name = "lab" + flag.replace("-", "")
        parent = folder / name
        parent.mkdir()
        arguments = ["new-plugin", name, "--folder", str(parent), *([flag] if flag else [])]
        result = CliRunner().invoke(program, arguments)
        if result.exit_code:
            raise SystemExit(f"valor {' '.join(arguments)}: {result.output}")
        made = [path for path in parent.iterdir() if path.is_dir()]
        yield made[0] if made else parent


def mypy(folders: Sequence[Path]) -> list[str]:
    """Return the output of mypy for the folders with errors."""
    cache = folders[0].parent / "cache"
    options = ("--strict", "--config-file=", f"--cache-dir={cache}", "--exclude=^setup.py$")
    runs = (_run("mypy", *options, ".", folder=folder) for folder in folders)
    return [run.stdout + run.stderr for run in runs if run.returncode]


def pyright(folders: Sequence[Path]) -> list[str]:
    """Return the output of pyright if there are errors."""
    parent = folders[0].parent
    config = {
        "include": [str(folder) for folder in folders],
        "exclude": ["**/setup.py"],
        "executionEnvironments": [{"root": str(folder)} for folder in folders],
        "typeCheckingMode": "standard",  # the default of pyright, but not of this build of it
    }
    path = parent / "pyrightconfig.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    options = ("--project", str(path), "--pythonpath", sys.executable)
    run = _run("basedpyright", *options, folder=parent)
    return [run.stdout + run.stderr] if run.returncode else []


def _run(module: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def main(arguments: Sequence[str]) -> int:
    """Check all code and print the errors; return 1 if there are any."""
    fast = "--fast" in arguments
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        folders = [write_guides(folder / "guides and contract.py")]
        shutil.copy(HERE / "contract.py", folders[0])  # one run of mypy is faster than two
        folders += [] if fast else write_plugins(folder)
        errors = mypy(folders) + ([] if fast else pyright(folders))
    for text in errors:
        print(text.strip())
    checkers = "mypy" if fast else "mypy and pyright"
    names = ", ".join(path.name for path in folders)
    print(f"{checkers}: {'errors' if errors else 'no errors'} in {names}")
    return bool(errors)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
