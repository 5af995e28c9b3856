from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import valor_core
from valor_core.errors import RegistryError
from valor_core.lazy import migration_hint, moved_names, new_place
from valor_core.specs import EngineSpec

CORE = Path(valor_core.__file__).parent
FACES = [
    ".".join(("valor_core", *path.parent.relative_to(CORE).parts))
    for path in sorted(CORE.rglob("__init__.pyi"))
]


@pytest.mark.parametrize("face", FACES)
def test_each_name_of_a_stub_can_be_imported(face: str) -> None:
    module = importlib.import_module(face)
    stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")

    listed = re.findall(r'"(\w+)"', stub.partition("__all__ = [")[2])

    assert set(listed) == {*module.__all__, *(["VERSION"] if face.endswith("schemas") else [])}
    assert [name for name in listed if not hasattr(module, name)] == []


@pytest.mark.parametrize("face", FACES)
def test_stub_names_differ_from_module_names(face: str) -> None:
    module = importlib.import_module(face)

    modules = {path.stem for path in Path(str(module.__file__)).parent.iterdir()}

    assert modules & {*module.__all__} == set()


@pytest.mark.parametrize("face", FACES)
def test_public_classes_and_functions_have_docstrings(face: str) -> None:
    module = importlib.import_module(face)
    found = {name: getattr(module, name) for name in module.__all__}

    code = {
        n: one
        for n, one in found.items()
        if not n.isupper() and (inspect.isclass(one) or inspect.isroutine(one))
    }

    assert [name for name, one in code.items() if not inspect.getdoc(one)] == []


def test_all_moved_names_lead_to_names_of_this_version() -> None:
    table = moved_names()["names"]
    places = {new_place(module, name) for module, names in table.items() for name in names}

    missing = [
        f"{module}.{name}"
        for module, name in sorted(filter(None, places))
        if not hasattr(importlib.import_module(module), name)
    ]

    assert len(places) > 200
    assert missing == []


def test_no_moved_name_is_still_in_its_old_module() -> None:
    table = moved_names()["names"]

    still = [
        f"{module}.{name}"
        for module, names in table.items()
        if module in FACES
        for name in names
        if name in importlib.import_module(module).__all__
    ]

    assert still == []


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("from valor_core import MetricSpec", "from valor_core.specs import MetricSpec"),
        ("from valor_core.schemas import floats", "from valor_core.schemas.columns import floats"),
        ("from valor_core.results import mean", "from valor_core.results import mean_of_defined"),
    ],
)
def test_import_from_old_face_suggests_the_new_one(statement: str, remedy: str) -> None:
    with pytest.raises(RegistryError) as caught:
        exec(statement, {})

    assert caught.value.remedy == f"Write: {remedy}"


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("from valor_core.errors import shown", "Write: from valor_core.errors import short_repr"),
        (
            "from valor_core.metrics.state import State",
            "Print the imports to change with: valor doctor --migrate FOLDER",
        ),
        ("from valor_core.errors import Nothing", None),
        ("import no_such_package", None),
    ],
)
def test_failed_import_of_plugin_has_migration_hint(statement: str, hint: str | None) -> None:
    with pytest.raises(ImportError) as caught:
        exec(statement, {})

    assert migration_hint(caught.value) == hint


@pytest.mark.parametrize(
    ("name", "face"),
    [
        ("MetricSpec", "valor_core.specs"),
        ("parameter", "valor_core.parameters"),
        ("ReadError", "valor_core.errors"),
        ("ItemRows", "valor_core.results"),
    ],
)
def test_old_import_raises_error_with_new_module(name: str, face: str) -> None:
    with pytest.raises(RegistryError) as caught:
        exec(f"from valor_core.plugin import {name}", {})

    assert str(caught.value) == (
        f"valor_core.plugin.{name}: moved to {face}\nWrite: from {face} import {name}"
    )


def test_renamed_import_raises_error_with_new_name() -> None:
    with pytest.raises(RegistryError) as caught:
        exec("from valor_core.plugin import found_at", {})

    assert str(caught.value) == (
        "valor_core.plugin.found_at: moved to valor_core.errors, called error_at\n"
        "Write: from valor_core.errors import error_at"
    )


def test_unknown_old_import_is_an_attribute_error() -> None:
    import valor_core.plugin

    with pytest.raises(AttributeError, match=r"^module 'valor_core.plugin' has no attribute 'No'$"):
        valor_core.plugin.No  # noqa: B018


def test_specs_and_parameters_load_neither_numpy_nor_schemas() -> None:
    code = (
        "import sys\n"
        "from valor_core.specs import MetricSpec, Registry, hookimpl\n"
        "from valor_core.parameters import parameter, parameters\n"
        "print('numpy' in sys.modules)\n"
        "print(*(name for name in sys.modules if name.startswith('valor_core.')))"
    )

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    numpy, loaded = run.stdout.splitlines()
    assert numpy == "False"
    packages = {name.split(".")[1] for name in loaded.split()}
    assert packages == {"errors", "lazy", "packages", "parameters", "specs"}


def test_parameters_with_import_of_earlier_version_get_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old_parameters.py").write_text("from valor_core.plugin import shown")
    monkeypatch.syspath_prepend(str(tmp_path))
    spec = EngineSpec(
        name="old.slow", summary="", parameters="old_parameters:Slow", implementation="old:Slow"
    )

    with pytest.raises(RegistryError) as caught:
        _ = spec.parameter_class

    assert caught.value.message.startswith("old.slow: its parameters old_parameters:Slow: ")
    assert caught.value.remedy == "Write: from valor_core.errors import short_repr"
