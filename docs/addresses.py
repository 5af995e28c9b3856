"""Addresses and install lines of the pages, from `PUBLISHED` and `REPOSITORY`."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from valor_core import packages

ROOT = Path(__file__).parent.parent
PLACEHOLDER = "https://github.com/OWNER/valor"
"""Address of the repository in pages until there is one."""

_WORKFLOW = """\
```yaml
name: evaluation
on:
  pull_request:
  push:
    branches: [main]
permissions:
  actions: read
  contents: read
  pull-requests: write
jobs:
  evaluate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ACTION
        with:
          config: evaluation.yaml
          packages: classification
```"""
_PIP = "python -m pip install"
_UNPUBLISHED = "The package index does not have this project's packages yet."
_PROJECT_LINE = re.compile(r"-e (?:plugins/)?([a-z.]+)(\[[a-z,]+\])?")


def repository() -> str:
    """Return the address of the repository, or the placeholder."""
    return packages.REPOSITORY or PLACEHOLDER


def installation(*stems: str) -> str:
    """Return how to install the packages of files in ``requirements/``, as Markdown.

    Parameters
    ----------
    *stems : str
        Names of the files, without their suffix; with a further extra in brackets.
    """
    if packages.PUBLISHED:
        names = shlex.join(map(_requirement, stems))
        return f"{_block(f'{_PIP} {names}')}\n\n{_with_uv(names)}"
    arguments: list[str] = []
    for stem in stems:
        name, bracket, _ = stem.partition("[")
        arguments += ["-r", f"requirements/{name}.txt"]
        arguments += ["-e", f"plugins/{stem}"] if bracket else []
    listed = shlex.join(arguments)
    command, with_uv = f"{_PIP} {listed}", _with_uv(listed)
    if packages.REPOSITORY:
        clone = f"git clone {packages.REPOSITORY} valor && cd valor"
        return f"{_UNPUBLISHED} Install from a clone:\n\n{_block(clone, command)}\n\n{with_uv}"
    return f"{_UNPUBLISHED} In a clone of the repository:\n\n{_block(command)}\n\n{with_uv}"


def workflow() -> str:
    """Return a workflow that uses the GitHub Action of the repository."""
    revision = "main"
    if packages.PUBLISHED:
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        revision = f"v{tomllib.loads(text)['project']['version']}"
    name = urlsplit(repository()).path.strip("/").removesuffix(".git")
    return _WORKFLOW.replace("ACTION", f"{name}/plugins/hosts/action@{revision}")


def _requirement(stem: str) -> str:
    """Return the package of a file, with the extras that the file installs."""
    if "[" in stem:
        return f"valor-{stem}"
    lines = (ROOT / "requirements" / f"{stem}.txt").read_text(encoding="utf-8").splitlines()
    found = [_PROJECT_LINE.fullmatch(line) for line in lines]
    extras = {match[1]: match[2] or "" for match in found if match}
    return f"valor-{stem}{extras['.' if stem == 'core' else stem]}"


def _with_uv(names: str) -> str:
    return f"In an environment made by uv, which has no pip: `uv pip install {names}`."


def _block(*lines: str) -> str:
    return "\n".join(["```sh", *lines, "```"])
