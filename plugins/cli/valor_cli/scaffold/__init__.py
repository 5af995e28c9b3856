"""Scaffold: complete, tested plugins of several kinds, created from templates.

Files under ``template/`` contain placeholders such as ``{{name}}`` in their text and names. The
suffix ``.template`` hides them from linters and test runners. Each kind of plugin has a folder.
Packages also get the files of ``shared/``; a file of both folders has the text of both, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Final

from attrs import frozen

from valor_core.errors import PluginConflictError, RegistryError, short_repr
from valor_core.packages import OWNERS
from valor_core.specs import Registry, TaskSpec

_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
_LONGEST = 40
_SUFFIX = ".template"


@frozen
class PluginKind:
    """Kind of new plugin, and its folder in ``template/``.

    Parameters
    ----------
    name : str
        Name in Python and, with ``-``, of the option of ``valor new-plugin``.
    help : str
        Help of the option.
    summary : str
        First words of the description, such as ``"Metrics of {{name}}"``.
    requires : tuple of str
        Distributions of this project that it needs in addition to core.
    """

    name: str
    help: str
    summary: str
    requires: tuple[str, ...] = ()


METRICS: Final = PluginKind("metrics", "A package with two metrics.", "Metrics of {{name}}")
ONE_FILE: Final = PluginKind(
    "one_file", "One file with a metric, for modules in a config.", "Metrics of {{name}}"
)
TASK: Final = PluginKind(
    "task",
    "A task: items, columns, tables and a metric.",
    "The task {{name}}, with a metric,",
    ("valor-files",),
)
OPTIONAL_KINDS: Final = (
    ONE_FILE,
    TASK,
    PluginKind(
        "reader", "A reader of a file format.", "Reader of records of {{name}}", ("valor-files",)
    ),
    PluginKind(
        "judge",
        "A metric that asks a judge of valor-llm.",
        "Judged metrics of {{name}}",
        ("valor-llm",),
    ),
    PluginKind("engine", "An engine with a pool of processes.", "Engine of {{name}}"),
    PluginKind("kernels", "A metric with a kernel in C.", "Compiled metrics of {{name}}"),
)
"""Kinds with an option of the command."""


_DISTRIBUTIONS = frozenset(
    (
        *OWNERS.values(),
        *("valor-cli", "valor-hosts", "valor-intervals", "valor-labels", "valor-report"),
        "valor-testing",
    )
)
"""Distributions of this project; a plugin with such a name would replace it."""


def new_plugin(name: str, folder: Path, kind: PluginKind = METRICS) -> Path:
    """Write a plugin that works: a manifest, an example of its kind, and tests that pass.

    Parameters
    ----------
    name : str
        Namespace of the plugin and prefix of its names: lower-case letters, digits, ``_``.
    folder : Path
        Parent of the new folder ``valor-<name>``, or of the files of a plugin of one file.
    kind : PluginKind
        What the plugin has; two metrics by default.

    Returns
    -------
    Path
        The new folder, or the file ``<name>.py``.

    Raises
    ------
    RegistryError
        If the name is invalid or a file exists; nothing is written. If the folder is not writable.
    PluginConflictError
        If an installed plugin or one of this project has the namespace or the distribution.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = new_plugin("mylab", Path(folder))
    ...     made.name, sorted(path.name for path in (made / "valor_mylab").iterdir())
    ('valor-mylab', ['__init__.py', 'confidence.py', 'overlap.py', 'parameters.py', 'plugin.py',
    'py.typed'])
    """
    _check(name, kind)
    distribution = f"valor-{name.replace('_', '-')}"
    bounds = _bounds(version("valor-core"))
    required = [f"{each}{bounds}" for each in ("valor-core", *kind.requires)]
    words = {
        "{{summary}}": kind.summary,
        "{{name}}": name,
        "{{package}}": f"valor_{name}",
        "{{distribution}}": distribution,
        "{{bounds}}": bounds,
        "{{dependencies}}": ", ".join(
            f'"{each}"' for each in ("attrs>=23.2", "numpy>=2.0", *required)
        ),
    }
    texts: dict[str, str] = {}
    for part in (kind.name,) if kind is ONE_FILE else ("shared", kind.name):
        for path, text in _written(files("valor_cli.scaffold") / "template" / part, words):
            texts[path] = texts.get(path, "") + text
    root = folder if kind is ONE_FILE else folder / distribution
    made = root / f"{name}.py" if kind is ONE_FILE else root
    for taken in (root / path for path in texts) if kind is ONE_FILE else (root,):
        if taken.exists():
            raise RegistryError(
                f"{taken}: expected a new {'file' if kind is ONE_FILE else 'folder'}, "
                "it exists already",
                "Choose another name or folder, or remove it first.",
            )
    try:
        for path, text in texts.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RegistryError(
            f"{made}: cannot be written, {error.strerror}", "Choose another with: --folder FOLDER"
        ) from error
    return made


def _bounds(core: str) -> str:
    """Return the versions of core that have the names a new plugin imports.

    Minor versions before 1.0, and major versions from then on, may remove names.
    """
    major, minor = map(int, re.findall(r"\d+", core)[:2])
    return f">={major}.{minor},<" + (f"{major + 1}" if major else f"0.{minor + 1}")


def _check(name: str, kind: PluginKind) -> None:
    """Raise an error if a plugin of a kind cannot have a name."""
    if not _NAME.fullmatch(name):
        valid = re.sub(r"[^a-z0-9]+", "_", name.casefold().removeprefix("valor-")).strip("_")
        example = valid if _NAME.fullmatch(valid) else "mylab"
        raise RegistryError(
            f"name: expected lower-case letters, digits and _ between them, first a letter, "
            f"got {short_repr(name)}",
            f"Name the plugin after your lab or its subject, for instance: {example}",
        )
    if len(name) > _LONGEST:
        raise RegistryError(
            f"name: expected at most {_LONGEST} characters, got {len(name)}",
            "Name the plugin after your lab or its subject, for instance: mylab",
        )
    is_ours, registry = name in OWNERS, Registry()
    if is_ours or name in registry.namespaces:
        owner = "a plugin of Valor" if is_ours else "an installed plugin"
        raise PluginConflictError(
            f"name: expected a free namespace, {name!r} belongs to {owner}",
            "Choose another; see those in use with: valor list",
        )
    if kind is not ONE_FILE and f"valor-{name.replace('_', '-')}" in _DISTRIBUTIONS:
        raise PluginConflictError(
            f"name: expected a free name, valor-{name.replace('_', '-')} is a package of Valor",
            "Choose another, for instance: mylab",
        )
    if kind is TASK and registry.knows_task(name):
        raise PluginConflictError(
            f"name: expected a new task, {registry.find(TaskSpec, name).name} has the name",
            "Choose another; see those in use with: valor list --tasks",
        )
    if kind is ONE_FILE and (iskeyword(name) or find_spec(name) is not None):
        raise RegistryError(
            f"name: expected the name of a new Python module, {name!r} is in use",
            "Name the plugin after your lab or its subject, for instance: mylab",
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
