"""Structure of the metric families, counted from their imports.

``python docs/structure.py`` prints a row for each family: rooms, floors, arrows and cycles, and the
size of its code. A room is a module or folder at the top of the package, without ``__init__``. An
arrow is an import between two rooms; imports inside functions and for type checkers count too. A
room is one floor above the highest room that it imports.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attrs

PLUGINS = Path(__file__).parents[1] / "plugins"

FAMILIES = ("classification", "segmentation", "detection", "text", "evaluate", "llm", "rgb")
"""Folders of the metric families in ``plugins``, in the order of the table."""

SMALL = 25
"""Files with fewer lines of code are counted as small."""


@attrs.frozen
class Structure:
    """Rooms of a package, and the rooms that each of them imports."""

    imports: Mapping[str, frozenset[str]]
    files: int
    small_files: int
    code_lines: int

    @classmethod
    def of(cls, package: Path) -> Structure:
        """Read the structure of a package from its source."""
        rooms: dict[str, set[str]] = {}
        sizes = []
        for path in sorted(package.rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            sizes.append(_code_lines(path, tree))
            room = path.relative_to(package).parts[0].removesuffix(".py")
            if room != "__init__":
                rooms.setdefault(room, set()).update(_imported_rooms(tree, package.name))
        return cls(
            imports={
                room: frozenset(found & rooms.keys() - {room}) for room, found in rooms.items()
            },
            files=len(sizes),
            small_files=sum(size < SMALL for size in sizes),
            code_lines=sum(sizes),
        )

    @property
    def arrows(self) -> int:
        """Number of pairs of rooms of which one imports the other."""
        return sum(map(len, self.imports.values()))

    @property
    def cycle(self) -> tuple[str, ...]:
        """Rooms of one import cycle, empty if there is none."""
        try:
            TopologicalSorter(self.imports).prepare()
        except CycleError as error:
            return tuple(error.args[1])
        return ()

    @property
    def floors(self) -> int:
        """Number of floors, counting the members of a cycle as one room."""
        merged = {room: _reachable(self.imports, room) for room in self.imports}
        heights: dict[str, int] = {}

        def height(room: str) -> int:
            if room not in heights:
                below = (
                    other
                    for member in {room, *(m for m in merged[room] if room in merged[m])}
                    for other in self.imports[member]
                    if room not in merged[other] and other != room
                )
                heights[room] = 1 + max(map(height, below), default=0)
            return heights[room]

        return max(map(height, self.imports), default=0)


def _reachable(imports: Mapping[str, frozenset[str]], start: str) -> set[str]:
    found: set[str] = set()
    todo = [*imports[start]]
    while todo:
        room = todo.pop()
        if room not in found:
            found.add(room)
            todo += imports[room]
    return found


def _imported_rooms(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module == package:
            names = [f"{package}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            top, *below = name.split(".")
            if top == package and below:
                yield below[0]


def _code_lines(path: Path, tree: ast.Module) -> int:
    """Count lines that are neither blank, comment nor docstring."""
    docs = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in docs
        for number, line in lines
    )


def structures() -> dict[str, Structure]:
    """Return the structure of every family, by its import name."""
    packages = (PLUGINS / family / f"valor_{family}" for family in FAMILIES)
    return {package.name: Structure.of(package) for package in packages if package.is_dir()}


def table(*, with_sizes: bool = False) -> str:
    """Return a table in Markdown with a row for each family.

    Parameters
    ----------
    with_sizes : bool
        Whether to add columns for files, small files and lines of code, and a row of sums.
    """
    columns = ["rooms", "floors", "arrows", "cycles"]
    columns += ["files", "small files", "lines of code"] if with_sizes else []
    found = structures()
    rows: list[list[object]] = [["family", *columns], ["---"] + ["--:"] * len(columns)]
    for name, one in found.items():
        cycle = " → ".join(one.cycle) or "none"
        cells: list[object] = [f"`{name}`", len(one.imports), one.floors, one.arrows, cycle]
        rows.append([*cells, *_sizes([one])] if with_sizes else cells)
    if with_sizes:
        rows.append(["in all", "", "", "", "", *_sizes(found.values())])
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def _sizes(found: Collection[Structure]) -> list[str]:
    names = ("files", "small_files", "code_lines")
    return [f"{sum(getattr(one, name) for one in found):,}" for name in names]


if __name__ == "__main__":
    print(table(with_sizes=True))
