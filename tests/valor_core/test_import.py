"""Modules loaded by `import valor_core` and `valor list`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ALLOWED = {"attr", "attrs", "numpy", "pluggy", "valor_core"}

TESTING = {
    "hypothesis",
    "iniconfig",
    "packaging",
    "py",
    "pygments",
    "pytest",
    "sortedcontainers",
}
"""What pytest and Hypothesis bring with them."""

COLLECT = """
import sys

class Alone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {allowed} and not name.startswith("_"):
            raise ModuleNotFoundError(f"core's tests run without {{name}}", name=name)

sys.meta_path.insert(0, Alone())
import pytest
sys.exit(pytest.main(["-q", "--collect-only", "-p", "no:cacheprovider", {folder!r}]))
"""

LOADED = """
import sys
before = set(sys.modules)
{body}
loaded = set(sys.modules) - before
"""


def run(body: str, report: str) -> list[str]:
    code = LOADED.format(body=body) + f"print('\\n'.join(sorted({report})))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


def test_importing_core_loads_only_its_dependencies() -> None:
    tops = run("import valor_core", "{name.partition('.')[0] for name in loaded}")

    strange = {top for top in tops if top not in sys.stdlib_module_names} - ALLOWED
    assert {top for top in strange if not top.startswith("_")} == set()


def test_importing_core_is_lazy() -> None:
    loaded = run("import valor_core", "loaded")

    assert len([name for name in loaded if name.startswith("valor_core")]) <= 4
    assert len(loaded) <= 60
    assert not {"numpy", "attrs", "pluggy", "json", "inspect"} & set(loaded)


def test_evaluating_loads_no_unused_packages() -> None:
    loaded = run("from valor_core import evaluate, Evaluator, Registry, Report", "loaded")

    others = ("valor_cli", "valor_report", "valor_testing", "valor_files.tables")
    for name in (*others, "html", "tomllib"):
        assert name not in loaded
    assert {name for name in loaded if name.startswith("valor_core.schemas.")} == {
        f"valor_core.schemas.{name}"
        for name in (
            "batch",
            "columns",
            "datum",
            "label",
            "pairing",
            "slice_values",
        )
    }


def test_evaluating_loads_schema_of_its_task_only() -> None:
    body = """
from valor_core import Text, evaluate, metric
@metric("mylab.Length", task="text", higher_is_better=None)
def length(item) -> float:
    return len(item.response)
evaluate([Text("q1", response="Paris")], [length])
"""
    loaded = run(body, "loaded")

    assert "valor_core.schemas.text.batch" in loaded
    for task in ("classification", "detection", "segmentation"):
        assert f"valor_core.schemas.{task}" not in loaded


def test_unpublished_name_is_an_attribute_error() -> None:
    import valor_core

    with pytest.raises(AttributeError, match=r"^module 'valor_core' has no attribute 'Tex'$"):
        valor_core.Tex  # noqa: B018


def test_listing_metrics_imports_no_plugin_code() -> None:
    body = """
import valor_core
from valor_core.specs.registry import Registry
from valor_core.specs.spec import KINDS
registry = Registry()
listed = [spec for kind in KINDS.values() for spec in registry.all(kind)]
code = {spec.implementation.partition(":")[0] for spec in listed if spec.namespace != "core"}
"""

    assert run(body, "code & (set(sys.modules) - before)") == []


def test_listing_metrics_loads_no_other_library() -> None:
    body = """
from importlib.metadata import entry_points
from valor_core.specs.registry import Registry
from valor_core.specs import MetricSpec
plugins = {entry.value.partition(".")[0] for entry in entry_points(group="valor.plugins")}
Registry().all(MetricSpec)
"""
    tops = run(body, "{name.partition('.')[0] for name in loaded} - plugins")

    strange = {top for top in tops if top not in sys.stdlib_module_names} - ALLOWED
    assert {top for top in strange if not top.startswith("_")} == set()


def test_listing_metrics_creates_no_parameter_classes() -> None:
    body = """
from valor_core.specs.registry import Registry
from valor_core.specs.spec import KINDS
for kind in KINDS.values():
    Registry().all(kind)
"""
    loaded = run(body, "loaded")

    assert [name for name in loaded if re.search(r"valor_(?!core).*parameters", name)] == []
    assert "valor_files.text_rows" not in loaded


def test_evaluating_creates_few_attrs_classes() -> None:
    body = """
def attrs_classes(cls=object):
    for below in type.__subclasses__(cls):
        if "__attrs_attrs__" in vars(below) and below.__module__.startswith("valor_"):
            yield below
        yield from attrs_classes(below)
from valor_core import evaluate
from valor_core.scoring import ItemMetricSpec
imported = set(attrs_classes())
from valor_core.specs.registry import Registry
from valor_core.specs import MetricSpec
Registry().all(MetricSpec)
"""
    imported, listed = run(body, "(f'{len(imported):04}', f'{len(set(attrs_classes())):04}.')")

    assert 10 < int(imported) <= 92
    assert int(listed.rstrip(".")) == int(imported)


def test_evaluating_loads_no_unused_standard_library() -> None:
    loaded = run("from valor_core import evaluate, Evaluator, Registry, Report", "loaded")

    tops = {name.partition(".")[0] for name in loaded}
    slow = {"concurrent", "decimal", "difflib", "email", "gzip", "hashlib", "logging"}
    assert not (slow | {"multiprocessing", "shutil", "uuid", "zipfile"}) & tops
    assert len([name for name in loaded if name.startswith("valor_core")]) <= 84


def test_published_names_can_be_imported() -> None:
    import valor_core

    assert all(hasattr(valor_core, name) for name in valor_core.__all__)
    assert list(valor_core.__all__) == sorted(valor_core.__all__)


def test_tests_of_core_import_no_plugins() -> None:
    folder = Path(__file__).parent
    fixtures = {path.stem for path in folder.with_name("fixtures").glob("*.py")}
    allowed = ALLOWED | TESTING | fixtures | {"conftest", "tests"} | sys.stdlib_module_names
    done = subprocess.run(
        [sys.executable, "-c", COLLECT.format(allowed=set(allowed), folder=str(folder))],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder.parents[1],
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
