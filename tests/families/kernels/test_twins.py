"""Exported C functions and constants, their bindings, and both implementations."""

from __future__ import annotations

import ast
import ctypes
import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

FAMILIES = ("classification", "detection", "segmentation", "text")
EXPORTED = re.compile(
    r"^EXPORT\(\s*([\w ]+),\s*(?:(TYPED|FOR_CPU)\((\w+)\)|(\w+)),"
    r"((?:[^()]|TYPED\(\w+\))*)\)",
    re.MULTILINE,
)
CHECKSUM = "valor_kernels_sources"
MOST_PARAMETERS = 11
VARIANTS = {
    "classification": ("SCORE", {"float32": "float", "float64": "double"}),
    "text": ("CODE", {"uint8": "uint8_t", "uint32": "uint32_t"}),
}
"""Macro of the type of elements, and the type for each suffix of the names."""

CONSTANTS = {
    "detection": {
        "fault": "valor_detection.kernels.reference.analysis",
        "field": "valor_detection.coco_json.records",
        "mask": "valor_detection.kernels.segmentations",
        "most": "valor_detection.kernels.row_errors",
        "farthest": "valor_detection.kernels.row_errors",
    },
    "text": {"edit": "valor_text.kernels.values", "kind": "valor_text.kernels.values"},
}
"""Modules that define the constants whose names in C begin with a prefix."""


@pytest.fixture(params=FAMILIES)
def package(request: pytest.FixtureRequest) -> ModuleType:
    """Kernels of a family; the compiled ones require a built library."""
    return import_module(f"valor_{request.param}.kernels")


def family(package: ModuleType) -> str:
    return package.__name__.removeprefix("valor_").removesuffix(".kernels")


def folder(package: ModuleType) -> Path:
    assert package.__file__ is not None
    return Path(package.__file__).parent


def sources(package: ModuleType) -> list[str]:
    paths = sorted(folder(package).glob("*.[ch]"))
    return [path.read_text(encoding="utf-8") for path in paths if path.name != "export.h"]


def exported(package: ModuleType) -> list[tuple[str, str, str]]:
    """Result, name with its suffix, and parameters of each exported function in C."""
    found = []
    macro, variants = VARIANTS.get(family(package), ("", {}))
    for text in sources(package):
        prototypes = EXPORTED.findall(text)
        assert len(prototypes) == len(re.findall("^EXPORT", text, re.MULTILINE))
        for result, template, templated, plain, parameters in prototypes:
            if template == "TYPED":
                found += [
                    (
                        result.replace(macro, kind),
                        f"{templated}_{suffix}",
                        re.sub(r"TYPED\((\w+)\)", rf"\1_{suffix}", parameters).replace(macro, kind),
                    )
                    for suffix, kind in variants.items()
                ]
            elif not template:  # variants for processors are chosen in C
                found.append((result, plain, parameters))
    return [(result, name, " ".join(text.split())) for result, name, text in found]


def literals(package: ModuleType) -> set[str]:
    """Text literals in the modules that bind functions."""
    paths = [
        *(folder(package) / "compiled").glob("*.py"),
        *folder(package).parent.glob("*/compiled_*.py"),
    ]
    return {
        node.value
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


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


def test_exported_functions_are_defined_once_and_used(package: ModuleType) -> None:
    names = Counter(name for _, name, _ in exported(package))
    del names[CHECKSUM]
    suffixes = tuple(f"_{suffix}" for suffix in VARIANTS.get(family(package), ("", {}))[1])

    assert names
    assert set(names.values()) == {1}
    used = literals(package)
    for name in names:
        stem = name.rpartition("_")[0] if name.endswith(suffixes) else name
        assert stem in used


def test_long_parameter_lists_are_structs(package: ModuleType) -> None:
    counts = {name: parameters.count(",") + 1 for _, name, parameters in exported(package)}

    assert max(counts.values()) <= MOST_PARAMETERS


def test_library_has_prototypes_of_sources(package: ModuleType) -> None:
    library = package.KERNELS.library
    if library is None:
        pytest.skip(package.KERNELS.reason)

    for result, name, parameters in exported(package):
        first = ctypes.c_char.in_dll(library, f"{name}_prototype")
        found = ctypes.string_at(ctypes.addressof(first)).decode()
        assert found.split("|")[0].split()[-1] == result.split()[-1]
        assert found.split("|")[1] == parameters
        assert callable(package.KERNELS.function(name))


def test_constants_of_c_equal_those_of_python(package: ModuleType) -> None:
    if package.KERNELS.library is None:
        pytest.skip(package.KERNELS.reason)
    names = re.findall(r"^CONSTANT\((\w+),", "\n".join(sources(package)), re.MULTILINE)
    used = literals(package)

    for name in names:
        if name in used:
            continue  # Python reads it from the library
        prefix, _, rest = name.partition("_")
        module = import_module(CONSTANTS[family(package)][prefix])
        attribute = next(each for each in (rest, name) if hasattr(module, each.upper() or "?"))
        assert package.KERNELS.constant(name) == getattr(module, attribute.upper())


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


def test_families_share_headers_and_build_script() -> None:
    packages = [folder(import_module(f"valor_{name}.kernels")) for name in FAMILIES]

    assert len({(path / "export.h").read_bytes() for path in packages}) == 1
    assert len({(path.parents[1] / "setup.py").read_bytes() for path in packages}) == 1
