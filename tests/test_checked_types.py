"""Types of the published names, as authors of plugins see them."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import attrs
import pytest

CHECKED = Path(__file__).parent / "checked_types"
ROOT = CHECKED.parents[1]
PACKAGES = (
    "valor_core",
    *(
        ".".join(path.relative_to(ROOT).parent.parts)
        for path in sorted((ROOT / "valor_core").rglob("__init__.pyi"))
    ),
    *(path.parent.name for path in sorted((ROOT / "plugins").glob("*/valor_*/__init__.py"))),
)


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(CHECKED)
    yield importlib.import_module("check")
    for name in ("check", "contract"):
        sys.modules.pop(name, None)


@pytest.mark.nightly  # type checkers take long
def test_guides_and_implemented_protocols_pass_strict_mypy(
    check: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    code = check.main(["--fast"])

    assert code == 0, capfd.readouterr().out


def test_wrong_type_in_guide_is_reported(check: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('<!-- file: mine.py -->\n```python\nwords: int = "two"\n```\n')

    (errors,) = check.mypy([check.write_guides(tmp_path / "guides", [page])])

    assert 'mine.py:1: error: Incompatible types in assignment (expression has type "str"' in errors


def test_implemented_protocols_evaluate_items(check: ModuleType) -> None:
    contract = importlib.import_module("contract")

    report = contract.used()

    assert report["Exact"].value == 1.0
    assert len(contract.batches()) + len(contract.items()) == 14


def published_classes() -> list[type]:
    modules = [importlib.import_module(name) for name in PACKAGES]
    names = [(module, name) for module in modules for name in getattr(module, "__all__", ())]
    found = [getattr(module, name) for module, name in names]
    classes = {base for each in found if isinstance(each, type) for base in each.__mro__}
    ours = (one for one in classes if attrs.has(one) and one.__module__.startswith("valor_"))
    return sorted(ours, key=lambda one: one.__qualname__)


def unreadable_fields(source: ast.ClassDef) -> Iterator[str]:
    """Yield the fields whose constructor argument pyright or mypy misread."""
    computed = {
        ast.unparse(decorator).removesuffix(".default")
        for node in source.body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if ast.unparse(decorator).endswith(".default")
    }
    for node in source.body:
        if not isinstance(node, ast.AnnAssign) or "ClassVar" in ast.unparse(node.annotation):
            continue
        keywords = node.value.keywords if isinstance(node.value, ast.Call) else []
        options = {one.arg: ast.unparse(one.value) for one in keywords}
        if options.get("init") == "False":
            continue
        name = ast.unparse(node.target)
        if name.startswith("_") and "alias" not in options:
            yield f"{source.name}.{name}: pyright does not remove the underscore; set alias"
        if options.get("converter") in ("tuple", "list", "dict", "set", "frozenset"):
            yield f"{source.name}.{name}: mypy cannot infer the argument of this converter"
        if name in computed:
            yield f"{source.name}.{name}: pyright misses this default; pass a Factory"


def test_type_checkers_read_all_arguments_of_published_classes() -> None:
    classes = published_classes()
    sources = [ast.parse(textwrap.dedent(inspect.getsource(one))).body[0] for one in classes]

    assert [each for one in sources for each in unreadable_fields(one)] == []
    assert len(classes) > 60


def test_misread_arguments_are_detected() -> None:
    source = """
class Words:
    _most: int
    names: tuple[str, ...] = field(default=(), converter=tuple)
    size: int = field(eq=False)
    _cache: dict = field(init=False, factory=dict)

    @size.default
    def _size(self):
        return 0
"""

    found = [each.split(":")[0] for each in unreadable_fields(ast.parse(source).body[0])]

    assert found == ["Words._most", "Words.names", "Words.size"]
