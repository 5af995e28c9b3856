"""Script: where the code of a module of `evaluate` is, found without running any of it."""

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
"""Kinds of modules, each of which has its own organization on the hub."""

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
"""What is installed for a package that is not called like its distribution."""


@frozen(slots=False)
class Script:
    r"""The file that defines a module, and the files beside it that it imports.

    Parameters
    ----------
    path : Path
        The script.

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
        """What the module is called."""
        return self.path.stem

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for all of its code."""
        content = hashlib.sha256()
        for file in self._files:
            content.update(file.read_bytes().replace(b"\r\n", b"\n"))
        return content.hexdigest()[:12]

    @property
    def missing(self) -> tuple[str, ...]:
        """Packages that it imports and that are not installed."""
        packages = dict.fromkeys(
            name.partition(".")[0]
            for file in self._files
            for level, name in _imports(file)
            if not level
        )
        return tuple(name for name in packages if name != "__future__" and not _is_there(name))

    @property
    def missing_files(self) -> tuple[str, ...]:
        """Files that it imports from its own folder and that are not there."""
        wanted = dict.fromkeys(
            f"{name.replace('.', '/')}.py"
            for file in self._files
            for level, name in _imports(file)
            if level and self._beside(name) is None
        )
        return tuple(wanted)

    def installing(self, packages: tuple[str, ...]) -> str:
        """The command that installs packages, as its comments ``# From:`` say or as they are known.

        Parameters
        ----------
        packages : tuple of str
            Names by which they are imported.
        """
        said = {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            code, mark, source = line.partition("# From:")
            words = code.split()
            if mark and source.split() and len(words) > 1 and words[0] in ("import", "from"):
                said[words[1].partition(".")[0]] = source.split()[0]
        return install(*(said.get(name, _DISTRIBUTIONS.get(name, name)) for name in packages))

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        """The script and what it imports from its folder, in the order in which it does."""
        found: dict[Path, None] = {}
        waiting = [self.path]
        while waiting:
            file = waiting.pop(0)
            if file in found:
                continue
            found[file] = None
            beside = (self._beside(name) for level, name in _imports(file) if level)
            waiting += [other for other in beside if other is not None]
        return tuple(found)

    def _beside(self, name: str) -> Path | None:
        place = self.path.parent / name.replace(".", "/")
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
        return None


def _imports(file: Path) -> Iterator[tuple[int, str]]:
    """What the top level of a file imports: how many folders up, 0 for packages, and the name."""
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


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def local(module: Path) -> Script | None:
    """The script of a folder that is called like it, or the script itself; None if none is there.

    Raises
    ------
    ParameterError
        If there is a folder, but no script in it.
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
    """The newest script of a name among those that `evaluate` has loaded from the hub before.

    Parameters
    ----------
    name : str
        Name of the module, with its owner before a slash where it has one.
    modules : Path
        Folder in which `evaluate` keeps modules.
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
    """Names of all modules that `evaluate` has loaded from the hub before."""
    folders = (modules / "evaluate_modules" / "metrics").glob("*--*")
    names = {folder.name.replace("--", "/", 1) for folder in folders if any(folder.glob("*/*.py"))}
    return sorted(_short(name) for name in names)


def _short(name: str) -> str:
    owner, _, stem = name.partition("/")
    return stem if owner in {f"evaluate-{kind}" for kind in TYPES} else name


def nowhere(name: str, modules: Path, hub: str = "") -> ParameterError:
    """What to raise where a module is neither a folder, nor cached, nor on the hub.

    Parameters
    ----------
    name : str
        Its name, or the path that was given.
    modules : Path
        Folder in which `evaluate` keeps modules.
    hub : str, optional
        What came of asking the hub.
    """
    known = cached_names(modules)
    listed = f"the cache has {', '.join(known)}" if known else "the cache has none"
    told = "; ".join(filter(None, [listed, hub]))
    return ParameterError(
        f"module: expected the folder of a script, a script or the name of a module, got {name!r}; "
        f"{told}",
        did_you_mean(name, known)
        or "Give the folder of its script, from the folder of the config: module: FOLDER",
    )
