"""Names and signatures of the C functions, their bindings and the reference."""

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
    paths = [
        *(folder(package) / "compiled").glob("*.py"),
        *folder(package).parent.glob("*/compiled_*.py"),
    ]
    for path in paths:
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


def modules(package: ModuleType, implementation: str) -> dict[str, ModuleType]:
    """Modules of an implementation by name."""
    return {
        path.stem: import_module(f"{package.__name__}.{implementation}.{path.stem}")
        for path in (folder(package) / implementation).glob("[!_]*.py")
    }


def functions(module: ModuleType) -> dict[str, list[tuple[object, ...]]]:
    """Names, kinds and defaults of the parameters of each public function of a module."""
    return {
        name: [
            (each.name, each.kind, each.default)
            for each in inspect.signature(value).parameters.values()
        ]
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__.startswith(module.__name__.rpartition(".")[0])
        and not name.startswith("_")
    }


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
    compiled, reference = modules(package, "compiled"), modules(package, "reference")

    shared = compiled.keys() & reference.keys()
    assert shared
    for name in shared:
        ours, expected = functions(compiled[name]), functions(reference[name])
        both = ours.keys() & expected.keys()
        assert both
        assert {each: ours[each] for each in both} == {each: expected[each] for each in both}


def test_package_has_modules_of_chosen_implementation(package: ModuleType) -> None:
    chosen = "reference" if package.KERNELS.library is None else "compiled"
    shared = modules(package, chosen).keys() & modules(package, "reference").keys()

    assert {name for name in shared if hasattr(package, name)}
    for name in shared:
        if hasattr(package, name):
            assert getattr(package, name).__name__ == f"{package.__name__}.{chosen}.{name}"
    assert not hasattr(package, "surely_absent")
