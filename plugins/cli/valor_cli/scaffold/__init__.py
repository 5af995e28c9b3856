"""Scaffold: a complete, tested plugin package, created from a template.

Files under ``template/`` contain placeholders such as ``{{name}}`` in their text and names. The
suffix ``.template`` hides them from linters and test runners.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from valor_core.errors import PluginConflictError, RegistryError, short_repr
from valor_core.packages import OWNERS
from valor_core.specs import Registry

_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
_LONGEST = 40
_SUFFIX = ".template"


def new_plugin(name: str, folder: Path) -> Path:
    """Write a plugin package: a manifest, two working metrics, and tests that pass.

    Parameters
    ----------
    name : str
        Namespace of the plugin and prefix of its metrics: lower-case letters, digits, ``_``.
    folder : Path
        Parent of the new folder ``valor-<name>``.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    RegistryError
        If the name is invalid or the folder exists; nothing is written.
    PluginConflictError
        If an installed plugin or one of this project has the namespace.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = new_plugin("mylab", Path(folder))
    ...     made.name, sorted(path.name for path in (made / "valor_mylab").iterdir())
    ('valor-mylab', ['__init__.py', 'confidence.py', 'overlap.py', 'parameters.py', 'plugin.py',
    'py.typed'])
    """
    _check(name)
    words = {
        "{{name}}": name,
        "{{package}}": f"valor_{name}",
        "{{distribution}}": f"valor-{name.replace('_', '-')}",
        "{{bounds}}": _bounds(version("valor-core")),
    }
    target = folder / words["{{distribution}}"]
    if target.exists():
        raise RegistryError(
            f"{target}: expected a new folder, it exists already",
            "Choose another name or folder, or remove it first.",
        )
    for path, text in _written(files("valor_cli.scaffold") / "template", words):
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    return target


def _bounds(core: str) -> str:
    """Return the versions of core that have the names a new plugin imports.

    Minor versions before 1.0, and major versions from then on, may remove names.
    """
    major, minor = map(int, re.findall(r"\d+", core)[:2])
    return f">={major}.{minor},<" + (f"{major + 1}" if major else f"0.{minor + 1}")


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RegistryError(
            f"name: expected lower-case letters, digits and _ between them, first a letter, "
            f"got {short_repr(name)}",
            "Name the plugin after your lab or its subject, for instance: mylab",
        )
    if len(name) > _LONGEST:
        raise RegistryError(
            f"name: expected at most {_LONGEST} characters, got {len(name)}",
            "Name the plugin after your lab or its subject, for instance: mylab",
        )
    is_ours = name in OWNERS
    if is_ours or name in Registry().namespaces:
        owner = "a plugin of Valor" if is_ours else "an installed plugin"
        raise PluginConflictError(
            f"name: expected a free namespace, {name!r} belongs to {owner}",
            "Choose another; see those in use with: valor list",
        )


def _written(template: Traversable, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of the new files."""
    for part in sorted(template.iterdir(), key=lambda part: part.name):
        name = _filled(part.name, words)
        if part.is_dir():
            for path, text in _written(part, words):
                yield f"{name}/{path}", text
        elif name.endswith(_SUFFIX):
            yield name.removesuffix(_SUFFIX), _filled(part.read_text(encoding="utf-8"), words)


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text
