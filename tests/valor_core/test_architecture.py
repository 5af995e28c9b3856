"""The house rules that no single module can keep: layers, names, sizes, tests."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "valor_core"
PLUGINS = sorted(
    folder for folder in (ROOT / "plugins").glob("*/valor_*") if (folder / "__init__.py").exists()
)

LAYERS = (
    {
        "compiled",
        "control",
        "errors",
        "event_loop",
        "extras",
        "fingerprint",
        "installed",
        "installer",
        "interrupts",
        "style",
        "threads",
        "whole_file",
    },
    {"fitting", "schemas", "exact", "filters", "saved_columns"},
    {"parameters"},
    {
        "spec",
        "spec_fields",
        "result",
        "result_details",
        "hookspecs",
        "json_schema",
        "gallery",
        "manifest",
        "wanted",
        "function_metric",
    },
    {
        "averages",
        "gathering",
        "report_records",
        "column_answers",
        "detail_columns",
        "item_rows",
        "journal",
        "derived_state",
        "state",
        "states_by_slice",
        "flat",
        "records",
        "registry",
        "reading",
        "readers",
        "decorator",
        "slices",
        "requirements",
        "results",
        "selection",
        "sliced",
    },
    {
        "items",
        "scoring",
        "waiting",
        "resource_facts",
        "bound_resource",
        "resources",
        "plugin",
        "config",
        "scaffold",
        "definition",
    },
    {"bound_metric", "report"},
    {"plan"},
    {
        "tally",
        "evaluation",
        "table",
        "curves",
        "pivot",
        "detail_tables",
        "plots",
        "report_tables",
        "page",
        "rendering",
        "comparison",
    },
    {"archive", "engines", "catalog", "exhibition"},
    {"evaluator"},
    {"evaluate"},
    {
        "valor_core",
        "destinations",
        "item_file",
        "metric_module",
        "request",
        "resolved_config",
        "running",
        "testing",
    },
    {"cli"},
    {"__main__"},
)
"""From the bottom to the top; a module imports from its own layer and those below."""

LATE = {
    ("scoring", "waiting"): "the event loop is loaded where a metric waits",
    ("scoring", "event_loop"): "the same",
    ("engines.local", "engines.flow"): "threads and processes are loaded where they count",
    ("evaluate", "exhibition"): "what draws items is loaded where a gallery is asked for",
    ("running", "exhibition"): "the same",
    ("resolved_config", "exhibition"): "types only",
    ("report", "rendering"): "a report renders itself; what renders it reads reports",
    ("results", "rendering"): "results render themselves; what renders them reads results",
    ("valor_core", "schemas"): "a task's schema is loaded by whoever asks for it",
    ("schemas.packing", "schemas.detection"): "types only, of the objects that it packs",
    ("schemas.packing", "schemas.datum"): "types only",
    ("schemas.sides", "schemas.segmentation"): "types only, of the items that it reads",
    ("cli", "cli.program"): "the program needs click, and the message without it does not",
    ("cli.streams", "cli.terminal"): "the terminal needs rich, a pipe does not",
    ("cli.run", "cli.terminal"): "the terminal needs rich, a pipe does not",
}
"""Imports inside functions and for types only, which no circle is checked for, and why."""

PUBLISHED = {
    "valor_core",
    "averages",
    "bound_metric",
    "bound_resource",
    "cli",
    "compiled",
    "control",
    "derived_state",
    "engines",
    "errors",
    "evaluate",
    "evaluation",
    "event_loop",
    "exact",
    "extras",
    "fingerprint",
    "gallery",
    "hookspecs",
    "installer",
    "interrupts",
    "item_rows",
    "parameters",
    "plan",
    "readers",
    "reading",
    "report",
    "request",
    "resource_facts",
    "resources",
    "result",
    "result_details",
    "running",
    "saved_columns",
    "schemas",
    "spec",
    "state",
    "table",
    "tally",
    "testing",
    "threads",
}
"""Where plugins may import from."""

FORBIDDEN = {"utils", "helpers", "common", "misc", "base", "shared", "core", "types", "manager"}

LONG = {
    "valor_core/testing/examples.py": "one small data set after the other",
    "valor_core/readers/table.py": "one table, with a column reader for every type",
}
"""Files that may be longer than 500 lines, and why."""

TESTED_ELSEWHERE = {
    "__init__.py": "test_import.py asks for everything that it publishes",
    "__main__.py": "one line; cli/test_program.py runs it",
    "bound_metric.py": "test_plan.py binds metrics in every way",
    "bound_resource.py": "test_resources.py binds and opens them in every way",
    "hookspecs.py": "no code; test_registry.py breaks every hook in every way",
    "manifest.py": "test_registry.py declares everything in every wrong way",
    "spec_fields.py": "the checks of spec.py, split for its length; test_spec.py",
    "style.py": "no code; test_page.py and test_catalog.py",
    "plugin.py": "no code; test_registry.py and readers/test_items.py find what it declares",
    "config/__init__.py": "no code",
    "pivot.py": "the inside of report_tables.py, split for its length; test_report_tables.py",
    "schemas/layers.py": "the maps of a segmentation batch; schemas/test_segmentation.py",
    "schemas/sides.py": "the maps of an item's sides; schemas/test_segmentation.py",
    "schemas/objects.py": "the columns of a detection batch; schemas/test_detection.py",
    "schemas/packing.py": "the way of objects into these columns; schemas/test_detection.py",
    "schemas/faults.py": "what policies look for; schemas/test_validity.py",
    "schemas/repairs.py": "what a policy does; schemas/test_validity.py",
    "engines/flow.py": "threads and processes of local.py, apart for their imports; test_local.py",
    "destinations.py": "a step of running.py; test_running.py",
    "resolved_config.py": "a step of running.py; test_running.py",
    "filters/__init__.py": "test_filters.py, which speaks the whole language",
    "filters/columns.py": "test_filters.py",
    "filters/conditions.py": "test_filters.py",
    "filters/grammar.py": "test_filters.py",
    "cli/command.py": "options that every command shares; the tests of the commands",
    "cli/outcome.py": "what run, rerun and merge end with; cli/test_run.py",
    "cli/__init__.py": "no code but the import of the program",
    "testing/__init__.py": "no code",
    "readers/__init__.py": "test_readers.py",
}
"""Modules without a test file of their own, and why."""


def modules() -> list[Path]:
    return sorted(
        path
        for path in CORE.rglob("*.py")
        if "template" not in path.parts and "__pycache__" not in path.parts
    )


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
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")).body))


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
    whole = ast.parse(path.read_text(encoding="utf-8"))
    anywhere = [node for node in ast.walk(whole) if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = {module for module, _ in _imports(list(anywhere))}
    return tuple(sorted(found - {module for module, _ in imported_first(path)}))


def short(module: str) -> str:
    return module.removeprefix("valor_core.")


def _target(module: str, name: str) -> tuple[str, str]:
    below = ROOT.joinpath(*module.split("."), name)
    is_module = below.with_suffix(".py").exists() or (below / "__init__.py").exists()
    return (f"{module}.{name}", "") if is_module else (module, name)


RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def test_every_part_of_core_has_its_layer() -> None:
    parts = {component(name_of(path)) for path in modules()}

    assert parts - set(RANK) == set()


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_arrows_point_down(path: Path) -> None:
    own = RANK[component(name_of(path))]

    above = [module for module, _ in imported_first(path) if RANK[component(module)] > own]

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
    schemas = {pair for pair in late if pair[0] == "valor_core"}

    assert late - schemas == set(LATE) - {("valor_core", "schemas")}
    assert {component(f"valor_core.{module}") for _, module in schemas} == {"schemas"}


@pytest.mark.parametrize(
    "path", [path for path in modules() if "schemas" in path.parts], ids=name_of
)
def test_schemas_know_only_errors_and_each_other(path: Path) -> None:
    assert {component(module) for module, _ in imported_first(path)} <= {
        "errors",
        "extras",
        "schemas",
        "threads",
    }


@pytest.mark.parametrize("part", ["spec", "parameters", "result", "state"])
def test_what_plugins_stand_on_knows_no_registry_engine_or_config(part: str) -> None:
    known = {component(module) for module, _ in imported_first(CORE / f"{part}.py")}

    assert known <= {"errors", "fitting", "parameters", "result", "result_details", "spec_fields"}


def test_no_core_module_imports_a_plugin() -> None:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.split(".")[0] for name in names}
            assert not {top for top in tops if top.startswith("valor_")} - {"valor_core"}, path


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_is_named_for_what_it_defines(path: Path) -> None:
    assert path.stem not in FORBIDDEN
    assert path.parent.name not in FORBIDDEN
    assert path.stem == "__init__" or path.stem == "__main__" or not path.stem.startswith("_")


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_says_what_it_is_in_its_first_line(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))

    assert docstring is not None
    assert len(docstring.splitlines()[0]) <= 100


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_has_a_test_file(path: Path) -> None:
    place = path.relative_to(CORE)
    if place.as_posix() in TESTED_ELSEWHERE:
        return
    folder = Path(__file__).parent / place.parent
    if place.stem == "__init__":
        name = f"test_{place.parent.name}.py"
        assert (folder / name).exists() or (folder.parent / name).exists()
    else:
        assert (folder / f"test_{place.stem}.py").exists()


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_file_is_longer_than_500_lines(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())

    assert lines <= 500 or path.relative_to(ROOT).as_posix() in LONG


def test_every_exception_to_a_rule_is_still_needed() -> None:
    for name in LONG:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) > 500, name
    for name in TESTED_ELSEWHERE:
        assert (CORE / name).exists(), name


def plugin_files() -> list[Path]:
    return [path for folder in PLUGINS for path in sorted(folder.rglob("*.py"))]


@pytest.mark.parametrize("path", plugin_files(), ids=name_of)
def test_plugins_import_only_what_core_publishes(path: Path) -> None:
    for module, name in imported_first(path):
        assert component(module) in PUBLISHED, f"{module} is not for plugins"
        assert not name.startswith("_"), f"{module}.{name} is private"
        published = getattr(importlib.import_module(module), "__all__", None)
        assert not name or published is None or name in published, f"{module} keeps {name}"


@pytest.mark.parametrize("path", plugin_files(), ids=name_of)
def test_plugins_import_of_others_only_the_states_and_parameters_that_these_publish(
    path: Path,
) -> None:
    own = path.relative_to(ROOT / "plugins").parts[1]
    published = {"valor_rgb": {"valor_text", "valor_llm"}}.get(own, set())
    for module in _of_other_plugins(ast.parse(path.read_text(encoding="utf-8")), own):
        top, _, below = module.partition(".")
        folder = path.relative_to(ROOT).parts[:2]
        project = ROOT.joinpath(*folder, "pyproject.toml").read_text(encoding="utf-8")
        assert top in published or below.split(".")[0] in ("states", "parameters"), module
        assert top.replace("_", "-") in project, f"{top} is no dependency of {own}"


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


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_a_manifest_imports_nothing_but_core_attrs_and_its_parameters(folder: Path) -> None:
    parameters = [*folder.glob("parameters.py"), *folder.glob("parameters/**/*.py")]
    for path in (folder / "__init__.py", folder / "plugin.py", *parameters):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                found = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found = {(node.module or "").split(".")[0]}
                own = (node.module or "").startswith(folder.name)
                assert not own or (node.module or "").split(".")[1:2] in ([], ["parameters"]), node
            else:
                continue
            assert not found & {"numpy", "pandas", "sklearn", "scipy", "shapely", "nltk"}, found
