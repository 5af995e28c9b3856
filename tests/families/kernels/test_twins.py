"""Kernels in C, their bindings and NumPy counterparts have the same names."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

FAMILIES = ("classification", "detection", "segmentation", "text")
EXPORTED = re.compile(r"^(?:KERNEL|EXPORT)\s[\w\s]*?(?:\bOF\()?\b(\w+)\)?\(", re.MULTILINE)
TOLD_OF_ITSELF = "valor_kernels_sources"


@pytest.fixture(params=FAMILIES)
def package(request: pytest.FixtureRequest) -> ModuleType:
    """Kernels of a family; the compiled ones require a built library."""
    return import_module(f"valor_{request.param}.kernels")


def folder(package: ModuleType) -> Path:
    assert package.__file__ is not None
    return Path(package.__file__).parent


def in_c(package: ModuleType) -> Counter[str]:
    """Functions that the C exports, those of several types of numbers under one name."""
    sources = [path.read_text(encoding="utf-8") for path in folder(package).glob("*.[ch]")]
    names = Counter(name for text in sources for name in EXPORTED.findall(text))
    names.pop("IN", None)  # ways to do the same with other registers, which C chooses among
    return names


def bound(package: ModuleType) -> Counter[str]:
    """Texts in the code of `compiled` that could be names of functions in C."""
    found: Counter[str] = Counter()
    for path in (folder(package) / "compiled").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {node for part in _no_names(tree) for node in ast.walk(part)}
        found.update(
            node.value.removesuffix("_")  # behind which the type of numbers stands
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in skipped
        )
    return found


def _no_names(tree: ast.Module) -> Iterator[ast.expr]:
    """Published names, and keys of bound functions: `functions["rank"]`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield node.value
        if isinstance(node, ast.Subscript):
            yield node.slice


def chosen(package: ModuleType) -> dict[str, tuple[str, str]]:
    """Modules of the NumPy function and the compiled one of each kernel that one is chosen of."""
    found = {}
    for path in sorted(folder(package).glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.If) and ast.unparse(node.test) == "KERNELS.library is None":
                plain, compiled = _imported(node.body), _imported(node.orelse)
                for name, module in plain.items():
                    assert name not in found, f"{name} is chosen twice"
                    found[name] = module, compiled[name]
    return found


def _imported(body: list[ast.stmt]) -> dict[str, str]:
    return {
        alias.name: str(node.module)
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def taken(module: str, name: str) -> list[tuple[object, ...]]:
    """Names, kinds and defaults of what a function takes."""
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    return [(each.name, each.kind, each.default) for each in parameters]


def test_c_functions_are_defined_and_bound_once(package: ModuleType) -> None:
    exported = in_c(package)
    texts = bound(package)

    assert exported.pop(TOLD_OF_ITSELF) == 1
    assert exported
    assert {name: count for name, count in exported.items() if count != 1} == {}
    assert {name: texts[name] for name in exported if texts[name] != 1} == {}


def test_kernel_implementations_have_same_signature(package: ModuleType) -> None:
    if package.KERNELS.library is None:
        pytest.skip(package.KERNELS.reason)
    kernels = chosen(package)

    assert kernels
    for name, (plain, compiled) in kernels.items():
        assert plain.replace(".numeric", ".compiled") == compiled
        assert taken(plain, name) == taken(compiled, name), name


def test_compiled_kernel_modules_have_numpy_counterparts(
    package: ModuleType,
) -> None:
    written = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (folder(package) / "compiled").glob("*.py")
        if path.stem != "__init__"
    }
    plain = {path.stem for path in (folder(package) / "numeric").glob("*.py")}

    assert {name for name in written if "def " in written[name]} - plain <= {"functions"}
