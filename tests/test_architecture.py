"""Architecture of the packages: layers, imports, names and sizes."""

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

from valor_core.packages import OWNERS

ROOT = Path(__file__).parents[1]
CORE = ROOT / "valor_core"
PLUGINS = sorted(
    folder for folder in (ROOT / "plugins").glob("*/valor_*") if (folder / "__init__.py").exists()
)

LAYERS = (
    {"errors"},
    {"lazy", "packages", "cancellation", "kernels"},
    {"parameters"},
    {"specs"},
    {"schemas"},
    {"states"},
    {"results"},
    {"readers"},
    {"resources"},
    {"scoring"},
    {"evaluation"},
    {"valor_core", "plugin"},
)
"""Packages of core from bottom to top; a module imports only from its package and lower ones."""

NAMED = {
    ("results.report", "valor_report"): "a key of reports in JSON, older than the distribution",
}
"""Plugins that strings of core name, with the reason."""

FACES = {
    "valor_core",
    *(f"valor_core.{name}" for name in ("errors", "packages", "lazy")),
    *(".".join(path.relative_to(ROOT).parent.parts) for path in CORE.rglob("__init__.pyi")),
}
"""Public modules and packages of core, which plugins may import."""

MOST_MODULES = 12
"""Maximum number of modules in a folder, without `__init__`."""

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
    """Parse a file once for all tests."""
    return ast.parse(text_of(path))


def component(module: str) -> str:
    """Package of a module in core: ``schemas`` for ``valor_core.schemas.datum``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def imported(path: Path) -> set[str]:
    """Modules of core that a file imports, including late and type-checking imports."""
    return {module for module, _ in imported_names(path)}


@cache
def imported_names(path: Path) -> tuple[tuple[str, str], ...]:
    """Pairs of module and name that a file imports from core."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "valor_core":
            found += [_target(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found += [(name, "") for name in names if name.split(".")[0] == "valor_core"]
    return tuple(found)


def short(module: str) -> str:
    return module.removeprefix("valor_core.")


def _target(module: str, name: str) -> tuple[str, str]:
    below = ROOT.joinpath(*module.split("."), name)
    is_module = below.with_suffix(".py").exists() or (below / "__init__.py").exists()
    return (f"{module}.{name}", "") if is_module else (module, name)


RANK = {name: rank for rank, packages in enumerate(LAYERS) for name in packages}


def test_every_package_of_core_has_a_layer() -> None:
    parts = {component(name_of(path)) for path in modules()}

    assert parts - set(RANK) == set()


def test_packages_import_only_packages_below_them() -> None:
    above = [
        (name_of(path), module)
        for path in modules()
        for module in imported(path)
        if RANK[component(module)] > RANK[component(name_of(path))]
    ]

    assert above == []


def test_evaluation_reaches_scoring_only_through_specs_and_states() -> None:
    importers = {
        component(name_of(path))
        for path in modules()
        if any(component(module) == "scoring" for module in imported(path))
    }

    assert importers == {"scoring"}


def test_core_has_no_import_cycles() -> None:
    graph = {name_of(path): imported(path) - {name_of(path)} for path in modules()}

    assert [*TopologicalSorter(graph).static_order()]  # raises CycleError


def test_core_has_few_packages() -> None:
    names = {path.relative_to(CORE).parts[0] for path in modules()}

    assert len(names) <= 17, sorted(names)


def test_no_public_name_of_core_is_defined_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path in modules():
        for name in _defined(tree_of(path).body):
            if not name.startswith(("_", "valor_")):  # a hook has the name of its specification
                homes.setdefault(name, []).append(name_of(path))

    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_type_variables_are_private() -> None:
    for path in modules():
        for node in tree_of(path).body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("TypeVar" | "ParamSpec"))):
                    assert name.startswith("_"), path


def _defined(statements: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that a module defines, without imported names."""
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


def test_folders_have_few_modules() -> None:
    counts = Counter(path.parent for path in modules() if path.stem != "__init__")

    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_no_core_module_imports_a_plugin() -> None:
    for path in modules():
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.split(".")[0] for name in names}
            assert not {top for top in tops if top.startswith("valor_")} - {"valor_core"}, path


def test_strings_of_core_name_no_plugins() -> None:
    packages = "|".join(re.sub("[-_]", "[-_]", folder.name) for folder in PLUGINS)
    spaces = "|".join(sorted({*OWNERS} - {"core", "tables"}))
    name = re.compile(rf"\b(?:{packages})\b|\b(?:{spaces})\.[A-Za-z]\w*")

    found = {
        (short(name_of(path)), match.replace("-", "_"))
        for path in modules()
        if path.stem not in ("packages", "plugin")
        for text in texts(tree_of(path))
        for match in name.findall(text)
    }

    assert found == set(NAMED)


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the strings of a module, without docstrings of modules, objects and constants."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


MARKUP = re.compile(
    r"</?(?:svg|g|path|line|rect|circle|text|title|canvas|figure|img|div|span|section|table|t[rdh]|ul|ol"
    r"|li|dl|p|b|i|a|h\d|script|meta)\b[ >/]"
)
"""Elements of HTML and SVG, which only templates have, because they escape texts."""


def test_strings_of_plugins_have_no_markup() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in plugin_files()
        for text in texts(tree_of(path))
        if MARKUP.search(text)
    ]

    assert found == []


def test_module_names_are_specific() -> None:
    special = {"__init__", "__main__"}
    for path in modules():
        assert path.stem not in FORBIDDEN, path
        assert path.parent.name not in FORBIDDEN, path
        assert path.stem in special or not path.stem.startswith("_"), path


def test_modules_have_short_docstring_summaries() -> None:
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


MOST_INNER_NAMES = 175
"""Maximum number of names outside of faces that distributions of this project import from core."""


def test_plugins_import_only_public_names_of_core() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}{'.' if name else ''}{name}"
        for path in plugin_files()
        for module, name in imported_names(path)
        if any(part.startswith("_") for part in (*module.split("."), name))
        or (module in FACES and not is_published(module, name))
    ]

    assert wrong == []


def test_plugins_import_few_names_outside_of_faces() -> None:
    inner = {one for path in plugin_files() for one in imported_names(path) if one[0] not in FACES}

    assert len(inner) <= MOST_INNER_NAMES


def test_plugins_of_others_import_only_faces() -> None:
    folders = (ROOT / "tests" / "plugins", ROOT / "plugins" / "cli" / "valor_cli" / "scaffold")
    files = [path for folder in folders for path in folder.rglob("*.py*") if path.suffix != ".pyc"]
    pattern = re.compile(
        r"^from (valor_core[\w.]*) import|^import (valor_core[\w.]*)", re.MULTILINE
    )

    imports = {
        (path.name, one or other)
        for path in files
        for one, other in pattern.findall(path.read_text(encoding="utf-8"))
    }

    assert len(files) > 20
    assert {module for _, module in imports} - FACES == set()


def is_published(module: str, name: str) -> bool:
    """Return True if a public module lists a name."""
    listed = getattr(importlib.import_module(module), "__all__", None)
    return not name or listed is None or name in listed


def test_plugins_import_only_public_modules_of_other_plugins() -> None:
    published = {
        "valor_rgb": {"valor_cli", "valor_intervals", "valor_text", "valor_llm"},
        "valor_llm": {"valor_cli", "valor_intervals"},
        "valor_cli": {"valor_report"},
        "valor_evaluate": {"valor_classification", "valor_detection", "valor_segmentation"},
        "valor_segmentation": {"valor_detection"},
        "valor_text": {"valor_evaluate"},
    }
    face = {
        f"{one}.{name}" for one in ("valor_labels", "valor_report") for name in published_by(one)
    }
    for path in plugin_files():
        _, folder, package, *_ = path.relative_to(ROOT).parts
        project = text_of(ROOT / "plugins" / folder / "pyproject.toml")
        for module in _of_other_plugins(tree_of(path), package):
            top, _, below = module.partition(".")
            is_published = below.split(".")[0] in ("states", "parameters") or module in face
            is_face = top == "valor_files" and (
                package == "valor_cli" or below in frozenset(valor_files.__all__)
            )
            allowed = published.get(package, ())
            assert is_published or is_face or top in allowed, f"{path}: {module}"
            assert top.replace("_", "-") in project, f"{path}: {package} does not depend on {top}"


def published_by(package: str) -> list[str]:
    """Names in ``__all__`` of a package."""
    names: list[str] = importlib.import_module(package).__all__
    return names


def test_imports_of_other_plugins_are_detected() -> None:
    source = "from valor_text.bleu import Counts\nfrom valor_text import states\nimport valor_core"

    found = list(_of_other_plugins(ast.parse(source), "valor_mylab"))

    assert found == ["valor_text.bleu", "valor_text.states"]


def _of_other_plugins(tree: ast.Module, package: str) -> Iterator[str]:
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
            if top.startswith("valor_") and top not in (package, "valor_core"):
                yield name


@pytest.mark.parametrize(
    "folder",
    [folder for folder in PLUGINS if (folder / "plugin.py").exists()],
    ids=lambda folder: folder.name,
)
def test_manifests_import_only_core_attrs_and_parameters(folder: Path) -> None:
    parameters = [*folder.glob("parameters.py"), *folder.glob("parameters/**/*.py")]
    for path in (folder / "__init__.py", folder / "plugin.py", *parameters):
        for node in tree_of(path).body:
            if isinstance(node, ast.Import):
                found = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found = {(node.module or "").split(".")[0]}
                is_own = (node.module or "").startswith(folder.name)
                assert not is_own or (node.module or "").split(".")[1:2] in ([], ["parameters"]), (
                    node
                )
            else:
                continue
            assert not found & {"numpy", "pandas", "sklearn", "scipy", "shapely", "nltk"}, found


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_public_classes_of_a_plugin_have_distinct_names(folder: Path) -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(folder).as_posix())

    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


LIMITS = {
    "valor_classification": (9, 4, 12),
    "valor_segmentation": (10, 4, 12),
    "valor_detection": (13, 5, 30),
    "valor_text": (10, 4, 12),
    "valor_evaluate": (6, 3, 6),
    "valor_llm": (16, 8, 32),
    "valor_rgb": (10, 6, 14),
}
"""Maximum numbers of rooms, floors and arrows of each family; see docs/design/structure.md."""


@pytest.mark.parametrize("family", LIMITS)
def test_families_have_few_rooms_and_no_cycles(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    structure = importlib.import_module("structure").structures()[family]

    counted = (len(structure.imports), structure.floors, structure.arrows)
    assert structure.cycle == ()
    assert all(count <= most for count, most in zip(counted, LIMITS[family], strict=True)), counted


def test_structure_counts_rooms_floors_arrows_and_cycles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    package = tmp_path / "valor_x"
    (package / "metrics").mkdir(parents=True)
    (package / "__init__.py").write_text("from valor_x import metrics")
    (package / "metrics" / "__init__.py").write_text("")
    (package / "metrics" / "f1.py").write_text("def f():\n    from valor_x.counts import g")
    (package / "counts.py").write_text('"""Counts."""\n\n# comment\nfrom valor_x import kernels')
    (package / "kernels.py").write_text("A = 1\nB = 2")
    of = importlib.import_module("structure").Structure.of

    found = of(package)
    assert {room: sorted(rooms) for room, rooms in found.imports.items()} == {
        "counts": ["kernels"],
        "kernels": [],
        "metrics": ["counts"],
    }
    assert (found.floors, found.arrows, found.files, found.code_lines) == (3, 2, 5, 6)

    (package / "kernels.py").write_text("import valor_x.metrics.f1")
    assert set(of(package).cycle) == {"counts", "kernels", "metrics"}
    assert of(package).floors == 1
