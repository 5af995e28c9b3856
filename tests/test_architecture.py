"""The house rules that no single module can keep: layers, names, sizes, tests."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import valor_files

import valor_core
import valor_core.plugin
from valor_core.packages import OWNERS

ROOT = Path(__file__).parents[1]
CORE = ROOT / "valor_core"
PLUGINS = sorted(
    folder for folder in (ROOT / "plugins").glob("*/valor_*") if (folder / "__init__.py").exists()
)

FLOORS = (
    {"errors"},
    {"packages", "kernels", "parameters", "filters"},
    {"extensions"},
    {"schemas"},
    {"plugins"},
    {"metrics"},
    {"report", "readers"},
    {"evaluation"},
    {"valor_core", "plugin"},
)
"""The rooms of core, from the bottom to the top; a module imports from its own room and below."""

LATE = {
    ("evaluation.items.scoring", "evaluation.items.waiting"): "loaded where a metric waits",
    ("evaluation.engines.local", "evaluation.engines.flow"): "loaded where threads are asked for",
    ("readers.given", "readers.unnamed"): "loaded where data are no batch",
    ("evaluation.evaluator", "evaluation.saved_states"): "loaded where a state is saved or read",
    ("evaluation.job", "filters"): "loaded where there is a filter",
}
"""Imports inside functions and for types only, which no circle is checked for, and why."""

NAMED = {
    ("report.report", "valor_report"): "a key of reports in JSON, older than the distribution",
}
"""Plugins that texts of core name, and why."""

PUBLISHED = {"valor_core", "plugin", "schemas"}
"""Where plugins may import from."""

MOST_MODULES = 12
"""In a folder, beside its `__init__`."""

FORBIDDEN = {"utils", "helpers", "common", "misc", "base", "shared", "core", "types", "manager"}


@cache
def modules() -> tuple[Path, ...]:
    found = (path for path in CORE.rglob("*.py") if "__pycache__" not in path.parts)
    return tuple(sorted(path for path in found if "template" not in path.parts))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file, which many rules look at."""
    return ast.parse(text_of(path))


def component(module: str) -> str:
    """The part of core that a module belongs to: ``schemas`` of ``valor_core.schemas.datum``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def imported_first(path: Path) -> tuple[tuple[str, str], ...]:
    """The (module, name) pairs that a file imports from core when it is imported itself."""
    return tuple(_imports(tree_of(path).body))


def _imports(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "valor_core":
            for alias in node.names:
                yield _target(node.module or "", alias.name)
        elif isinstance(node, ast.Import):
            yield from (
                (alias.name, "") for alias in node.names if alias.name.startswith("valor_core")
            )
        elif isinstance(node, ast.Try):
            yield from _imports([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from _imports([*node.body, *node.orelse])


@cache
def imported_late(path: Path) -> tuple[str, ...]:
    """The modules of core that a file imports in its functions or for types only."""
    anywhere = [
        node for node in ast.walk(tree_of(path)) if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    found = {module for module, _ in _imports(list(anywhere))}
    return tuple(sorted(found - {module for module, _ in imported_first(path)}))


def short(module: str) -> str:
    return module.removeprefix("valor_core.")


def _target(module: str, name: str) -> tuple[str, str]:
    below = ROOT.joinpath(*module.split("."), name)
    is_module = below.with_suffix(".py").exists() or (below / "__init__.py").exists()
    return (f"{module}.{name}", "") if is_module else (module, name)


RANK = {name: rank for rank, rooms in enumerate(FLOORS) for name in rooms}


def test_every_room_of_core_has_its_floor() -> None:
    parts = {component(name_of(path)) for path in modules()}

    assert parts - set(RANK) == set()


def test_arrows_point_down() -> None:
    above = [
        (name_of(path), module)
        for path in modules()
        for module, _ in imported_first(path)
        if RANK[component(module)] > RANK[component(name_of(path))]
    ]

    assert above == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name_of(path): {module for module, _ in imported_first(path)} for path in modules()}
    open_paths: list[str] = []
    done: set[str] = set()

    def visit(name: str) -> None:
        assert name not in open_paths, f"circle: {' → '.join([*open_paths, name])}"
        if name in done:
            return
        open_paths.append(name)
        for other in sorted(graph.get(name, ())):
            visit(other)
        open_paths.pop()
        done.add(name)

    for name in graph:
        visit(name)


def test_no_import_is_hidden_in_a_function_or_behind_type_checking_but_those_agreed_on() -> None:
    late = {
        (short(name_of(path)), short(module))
        for path in modules()
        for module in imported_late(path)
    }
    published = {pair for pair in late if pair[0] in ("valor_core", "plugin")}

    assert late - published == set(LATE)
    for name, module in (("valor_core", valor_core), ("plugin", valor_core.plugin)):
        at_once = {"plugins.publishing"}  # what publishes is there already
        assert {home for own, home in published if own == name} == set(module._LATER) - at_once
        assert set(module.__all__) >= {one for names in module._LATER.values() for one in names}


def test_rooms_stand_on_few_floors_and_import_each_other_in_no_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for path in modules():
        own = component(name_of(path))
        found = {component(module) for module, _ in imported_first(path)}
        rooms.setdefault(own, set()).update(found - {own})

    order = [*TopologicalSorter(rooms).static_order()]  # raises where there is a circle
    floor: dict[str, int] = {}
    for room in order:
        floor[room] = 1 + max((floor[below] for below in rooms[room]), default=0)

    assert len(rooms) <= 15
    assert max(floor.values()) <= 9


def test_core_has_few_names_at_its_top() -> None:
    names = [path.name for path in CORE.iterdir() if path.name != "__pycache__"]

    assert len(names) <= 15, sorted(names)


def test_no_public_name_of_core_is_defined_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path in modules():
        for name in _defined(tree_of(path).body):
            if not name.startswith(("_", "valor_")):  # a hook is called like its specification
                homes.setdefault(name, []).append(name_of(path))

    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_type_variables_are_private() -> None:
    for path in modules():
        for node in tree_of(path).body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("TypeVar" | "ParamSpec"))):
                    assert name.startswith("_"), path


def _defined(statements: list[ast.stmt]) -> Iterator[str]:
    """The names that a module defines, not those that it imports."""
    for one in statements:
        match one:
            case ast.FunctionDef(decorator_list=[ast.Name("overload")]):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def test_a_folder_has_few_modules() -> None:
    counts = Counter(path.parent for path in modules() if path.stem != "__init__")

    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


@pytest.mark.parametrize(
    ("room", "known"),
    [
        ("schemas", {"errors", "packages", "kernels"}),
        ("parameters", {"errors"}),
        ("metrics", {"errors", "extensions", "parameters", "schemas"}),
        ("plugins", {"errors", "packages", "parameters", "schemas"}),
    ],
)
def test_what_plugins_stand_on_knows_no_reader_engine_or_report(room: str, known: set[str]) -> None:
    for path in modules():
        if component(name_of(path)) == room:
            found = {component(module) for module, _ in imported_first(path)}
            assert found <= {*known, room}, path


def test_no_core_module_imports_a_plugin() -> None:
    for path in modules():
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.split(".")[0] for name in names}
            assert not {top for top in tops if top.startswith("valor_")} - {"valor_core"}, path


def test_no_text_of_core_names_a_plugin_but_those_agreed_on() -> None:
    packages = "|".join(re.sub("[-_]", "[-_]", folder.name) for folder in PLUGINS)
    spaces = "|".join(sorted({*OWNERS} - {"core", "tables"}))
    name = re.compile(rf"\b(?:{packages})\b|\b(?:{spaces})\.[A-Za-z]\w*")

    found = {
        (short(name_of(path)), match.replace("-", "_"))
        for path in modules()
        if path.stem != "packages"
        for text in texts(tree_of(path))
        for match in name.findall(text)
    }

    assert found == set(NAMED)


def texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module but docstrings, and the texts below its constants."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_a_module_is_named_for_what_it_defines() -> None:
    special = {"__init__", "__main__"}
    for path in modules():
        assert path.stem not in FORBIDDEN, path
        assert path.parent.name not in FORBIDDEN, path
        assert path.stem in special or not path.stem.startswith("_"), path


def test_a_module_says_what_it_is_in_its_first_line() -> None:
    for path in modules():
        docstring = ast.get_docstring(tree_of(path))
        assert docstring is not None, path
        assert len(docstring.splitlines()[0]) <= 100, path


def test_no_file_has_more_than_500_lines_of_code() -> None:
    long = [
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if sum(bool(line.strip()) for line in ast.unparse(tree_of(path)).splitlines()) > 500
    ]

    assert long == []


@cache
def plugin_files() -> tuple[Path, ...]:
    return tuple(path for folder in PLUGINS for path in sorted(folder.rglob("*.py")))


def families() -> list[Path]:
    """Files of plugins, except the command line, reports, tables and the conformance kit."""
    special = {"valor_cli", "valor_files", "valor_report", "valor_testing"}
    return [path for path in plugin_files() if not special & {*path.parts}]


def test_plugins_import_only_what_core_publishes() -> None:
    for path in families():
        for module, name in imported_first(path):
            assert component(module) in PUBLISHED, f"{path}: {module} is not for plugins"
            assert not name.startswith("_"), f"{path}: {module}.{name} is private"
            published = getattr(importlib.import_module(module), "__all__", None)
            kept = name and published is not None and name not in published
            assert not kept, f"{path}: {module} keeps {name}"


FILES = frozenset(valor_files.__all__)


def test_plugins_import_of_others_only_the_states_and_parameters_that_these_publish() -> None:
    published = {
        "valor_rgb": {"valor_cli", "valor_text", "valor_llm"},
        "valor_llm": {"valor_cli"},
        "valor_cli": {"valor_report"},
        "valor_text": {"valor_classification", "valor_detection", "valor_segmentation"},
    }
    face = {f"valor_report.{name}" for name in published_by("valor_report")}
    for path in plugin_files():
        _, folder, own, *_ = path.relative_to(ROOT).parts
        project = text_of(ROOT / "plugins" / folder / "pyproject.toml")
        for module in _of_other_plugins(tree_of(path), own):
            top, _, below = module.partition(".")
            is_published = below.split(".")[0] in ("states", "parameters") or module in face
            is_face = top == "valor_files" and (own == "valor_cli" or below in FILES)
            assert is_published or is_face or top in published.get(own, ()), f"{path}: {module}"
            assert top.replace("_", "-") in project, f"{path}: {top} is no dependency of {own}"


def published_by(package: str) -> list[str]:
    """Names that a package lists in ``__all__``."""
    (folder,) = (folder for folder in PLUGINS if folder.name == package)
    for node in tree_of(folder / "__init__.py").body:
        match node:
            case ast.Assign([ast.Name("__all__")], value):
                return [str(name) for name in ast.literal_eval(value)]
    return []


def test_an_import_of_another_plugins_inside_is_seen() -> None:
    source = "from valor_text.bleu import Counts\nfrom valor_text import states\nimport valor_core"

    found = list(_of_other_plugins(ast.parse(source), "valor_mylab"))

    assert found == ["valor_text.bleu", "valor_text.states"]


def _of_other_plugins(tree: ast.Module, own: str) -> Iterator[str]:
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            is_top = "." not in module
            modules = [f"{module}.{alias.name}" for alias in node.names] if is_top else [module]
        for name in modules:
            top = name.partition(".")[0]
            if top.startswith("valor_") and top not in (own, "valor_core"):
                yield name


@pytest.mark.parametrize(
    "folder",
    [folder for folder in PLUGINS if (folder / "plugin.py").exists()],
    ids=lambda folder: folder.name,
)
def test_a_manifest_imports_nothing_but_core_attrs_and_its_parameters(folder: Path) -> None:
    parameters = [*folder.glob("parameters.py"), *folder.glob("parameters/**/*.py")]
    for path in (folder / "__init__.py", folder / "plugin.py", *parameters):
        for node in tree_of(path).body:
            if isinstance(node, ast.Import):
                found = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found = {(node.module or "").split(".")[0]}
                own = (node.module or "").startswith(folder.name)
                assert not own or (node.module or "").split(".")[1:2] in ([], ["parameters"]), node
            else:
                continue
            assert not found & {"numpy", "pandas", "sklearn", "scipy", "shapely", "nltk"}, found
