"""Script: source file of a module of `evaluate`, found without executing it."""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from attrs import frozen

from valor_core.errors import ParameterError, did_you_mean
from valor_core.packages import install

TYPES = ("metric", "comparison", "measurement")
"""Kinds of modules, each with an organization on the hub."""

_DISTRIBUTIONS = {
    "PIL": "pillow",
    "absl": "absl-py",
    "bert_score": "bert-score",
    "cv2": "opencv-python",
    "faiss": "faiss-cpu",
    "rouge_score": "rouge-score",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Distributions of packages with another name."""


@frozen(slots=False)
class Script:
    r"""File that defines a module, and files in its folder that it imports.

    Parameters
    ----------
    path : Path
        Script.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "politeness.py"
    ...     _ = path.write_text("import no_such_thing\nfrom .words import POLITE\n")
    ...     script = Script(path)
    ...     script.name, script.missing, script.missing_files
    ('politeness', ('no_such_thing',), ('words.py',))
    """

    path: Path

    @property
    def name(self) -> str:
        """Name of the module."""
        return self.path.stem

    @cached_property
    def digest(self) -> str:
        """Hexadecimal checksum of all its code, with twelve digits."""
        content = hashlib.sha256()
        for file in self._files:
            content.update(file.read_bytes().replace(b"\r\n", b"\n"))
        return content.hexdigest()[:12]

    @property
    def missing(self) -> tuple[str, ...]:
        """Imported packages that are not installed."""
        packages = dict.fromkeys(
            name.partition(".")[0]
            for file in self._files
            for level, name in _imports(file)
            if not level
        )
        return tuple(name for name in packages if name != "__future__" and not _is_installed(name))

    @property
    def missing_files(self) -> tuple[str, ...]:
        """Imported files that are missing in the folder of the script."""
        wanted = dict.fromkeys(
            f"{name.replace('.', '/')}.py"
            for file in self._files
            for level, name in _imports(file)
            if level and self._in_folder(name) is None
        )
        return tuple(wanted)

    def installing(self, packages: tuple[str, ...]) -> str:
        """Return the command that installs packages, named by comments ``# From:`` or by a table.

        Parameters
        ----------
        packages : tuple of str
            Import names.
        """
        named = {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            code, mark, source = line.partition("# From:")
            words = code.split()
            if mark and source.split() and len(words) > 1 and words[0] in ("import", "from"):
                named[words[1].partition(".")[0]] = source.split()[0]
        return install(*(named.get(name, _DISTRIBUTIONS.get(name, name)) for name in packages))

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        """Script and imported files of its folder, in import order."""
        found: dict[Path, None] = {}
        waiting = [self.path]
        while waiting:
            file = waiting.pop(0)
            if file in found:
                continue
            found[file] = None
            imported = (self._in_folder(name) for level, name in _imports(file) if level)
            waiting += [other for other in imported if other is not None]
        return tuple(found)

    def _in_folder(self, name: str) -> Path | None:
        location = self.path.parent / name.replace(".", "/")
        for file in (location.with_suffix(".py"), location / "__init__.py"):
            if file.is_file():
                return file
        return None


def _imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the imports at the top level of a file: relative level, 0 for packages, and name."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (SyntaxError, ValueError):
        return
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from ((0, alias.name) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            if statement.module:
                yield statement.level, statement.module
            else:
                yield from ((statement.level, alias.name) for alias in statement.names)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def local(module: Path) -> Script | None:
    """Return the script in a folder of the same name, or the script itself; None if neither exists.

    Raises
    ------
    ParameterError
        If the folder exists without such a script.
    """
    module = Path(os.path.abspath(module))
    if module.is_file() and module.suffix == ".py":
        return Script(module)
    script = module / f"{module.name}.py"
    if script.is_file():
        return Script(script)
    if not module.is_dir():
        return None
    others = sorted(path.name for path in module.glob("*.py"))
    raise ParameterError(
        f"module: expected the script {script.name} in {module}, found "
        f"{', '.join(others) or 'no script'}",
        "Call the script like its folder, or name the script itself: module: FOLDER/SCRIPT.py",
    )


def cached(name: str, modules: Path) -> Script | None:
    """Return the newest script with a name in the cache of `evaluate`.

    Parameters
    ----------
    name : str
        Name of the module, after its owner and a slash if it has one.
    modules : Path
        Folder with the cached modules of `evaluate`.
    """
    stem = name.rpartition("/")[2]
    folders = [name.replace("/", "--")] if "/" in name else [f"evaluate-{t}--{name}" for t in TYPES]
    found = [
        script
        for folder in folders
        for script in (modules / "evaluate_modules" / "metrics" / folder).glob(f"*/{stem}.py")
    ]
    found.sort(key=lambda script: (script.stat().st_mtime_ns, script))
    return Script(found[-1]) if found else None


def cached_names(modules: Path) -> list[str]:
    """Return the names of all modules in the cache of `evaluate`."""
    folders = (modules / "evaluate_modules" / "metrics").glob("*--*")
    names = {folder.name.replace("--", "/", 1) for folder in folders if any(folder.glob("*/*.py"))}
    return sorted(_short(name) for name in names)


def _short(name: str) -> str:
    owner, _, stem = name.partition("/")
    return stem if owner in {f"evaluate-{kind}" for kind in TYPES} else name


def not_found(name: str, modules: Path, hub: str = "") -> ParameterError:
    """Return the error for a module that is not a folder, not cached, and not on the hub.

    Parameters
    ----------
    name : str
        Name or path of the module.
    modules : Path
        Folder with the cached modules of `evaluate`.
    hub : str, optional
        Result of the request to the hub.
    """
    cached_modules = cached_names(modules)
    listed = (
        f"the cache has {', '.join(cached_modules)}" if cached_modules else "the cache has none"
    )
    found = "; ".join(filter(None, [listed, hub]))
    return ParameterError(
        f"module: expected the folder of a script, a script or the name of a module, got {name!r}; "
        f"{found}",
        did_you_mean(name, cached_modules)
        or "Give the folder of its script, from the folder of the config: module: FOLDER",
    )
