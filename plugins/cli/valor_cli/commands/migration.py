"""Edits that move the imports of a plugin to the names of this version."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen

from valor_core.errors import ReadError
from valor_core.lazy import moved_error, new_place

_WIDTH = 88
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


@frozen
class Migration:
    """A file of Python, and its text for this version.

    Parameters
    ----------
    path : Path
        The file.
    old, new : str
        Its text, and the text with the imports of this version.
    remarks : tuple of str
        Uses that need an edit by hand, with line and remedy.
    """

    path: Path
    old: str
    new: str
    remarks: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """Unified diff, which ``patch -p0`` applies; empty if nothing changes."""
        name = self.path.as_posix()
        lines = (self.old.splitlines(keepends=True), self.new.splitlines(keepends=True))
        return "".join(difflib.unified_diff(*lines, name, name))


def migrations(path: Path) -> Iterator[Migration]:
    """Yield the files at or below a path that need edits, in the order of their names.

    Raises
    ------
    ReadError
        If the path does not exist, or a file is not valid Python.
    """
    if not path.exists():
        raise ReadError(f"doctor: --migrate: no such file or folder: {str(path)!r}")
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            text = file.read_text(encoding="utf-8")
            new, remarks = migrated(text)
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            raise ReadError(f"{file}: expected a file of Python, {error}") from error
        if new != text or remarks:
            yield Migration(file, text, new, tuple(remarks))


def migrated(source: str) -> tuple[str, list[str]]:
    r"""Return a source with the imports of this version, and remarks about other uses.

    Examples
    --------
    >>> print(migrated("from valor_core.plugin import shown, State\nprint(shown(State))")[0])
    from valor_core.errors import short_repr
    from valor_core.states import State
    print(short_repr(State))
    """
    tree = ast.parse(source)
    edits = _Edits(source)
    renamed: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            renamed |= edits.move_import(node)
        elif isinstance(node, ast.Import):
            edits.remark_modules(node)
    for name in _uses(tree, frozenset(renamed)):
        edits.replace(name, renamed[name.id])
    return edits.result(), edits.remarks


@frozen
class _Edits:
    """Replacements of nodes in a source, by their positions in bytes."""

    source: str
    found: list[tuple[int, int, str]] = field(factory=list)
    remarks: list[str] = field(factory=list)

    def replace(self, node: ast.stmt | ast.expr, text: str) -> None:
        """Replace the text of a node."""
        lines = self.source.encode().splitlines(keepends=True)
        ends = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        self.found.append((start, sum(map(len, lines[: ends[0] - 1])) + ends[1], text))

    def move_import(self, node: ast.ImportFrom) -> dict[str, str]:
        """Import the names of a statement from their modules now; return the renamed names."""
        module = str(node.module)
        targets: dict[str, list[str]] = {}
        renamed = {}
        for alias in node.names:
            target, name = new_place(module, alias.name) or (module, alias.name)
            error = moved_error(module, alias.name)
            if error is not None and (target, name) == (module, alias.name):
                self.remarks.append(f"line {node.lineno}: {error.message}. {error.remedy}")
            if name != alias.name and alias.asname is None:
                renamed[alias.name] = name
            targets.setdefault(target, []).append(
                name if alias.asname is None else f"{name} as {alias.asname}"
            )
        if renamed or set(targets) != {module}:
            joint = "\n" + " " * node.col_offset
            lines = (_import(*one, node.col_offset) for one in sorted(targets.items()))
            self.replace(node, joint.join(lines))
        return renamed

    def remark_modules(self, node: ast.Import) -> None:
        """Add a remark for each imported module whose names have moved."""
        for alias in node.names:
            if alias.name == "valor_core.plugin" or new_place(alias.name, "") is not None:
                self.remarks.append(
                    f"line {node.lineno}: names of {alias.name} have moved. "
                    f"Write: from {alias.name} import …, and run this command again"
                )

    def result(self) -> str:
        """Return the edited source."""
        content = self.source.encode()
        for start, end, text in sorted(self.found, reverse=True):
            content = content[:start] + text.encode() + content[end:]
        return content.decode()


def _import(module: str, names: list[str], indent: int) -> str:
    names = sorted(names)
    line = f"from {module} import {', '.join(names)}"
    if indent + len(line) <= _WIDTH:
        return line
    space = " " * indent
    return "\n".join([f"from {module} import (", *(f"{space}    {n}," for n in names), f"{space})"])


def _uses(node: ast.AST, names: frozenset[str]) -> Iterator[ast.Name]:
    """Yield the uses of global names, without scopes that bind them to something else."""
    if not names:
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and child.id in names:
            yield child
        inner = names - _bound(child) if isinstance(child, _Function | _Comprehension) else names
        yield from _uses(child, inner)


def _bound(scope: _Function | _Comprehension) -> frozenset[str]:
    """Return the names that a scope binds as arguments or variables."""
    found = {one.arg for one in ast.walk(scope) if isinstance(one, ast.arg)}
    found |= {
        one.id
        for one in ast.walk(scope)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return frozenset(found)
