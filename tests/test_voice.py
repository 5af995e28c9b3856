"""Plain English in docstrings, names of tests and headings: no private words of this project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

FOLDERS = (
    "plugins",
    *(f"valor_core/{name}" for name in ("kernels", "parameters", "readers", "results")),
    *(f"valor_core/{name}" for name in ("evaluation", "resources", "schemas", "scoring", "specs")),
    "valor_core/states",
    "tests/families",
    "tests/plugins",
    "tests/valor_cli",
    *(f"tests/valor_core/{name}" for name in ("evaluation", "kernels", "metrics")),
    *(f"tests/valor_core/{name}" for name in ("parameters", "plugins", "readers")),
    *(f"tests/valor_core/{name}" for name in ("report", "schemas")),
)
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "docs/design/*.md",
    "docs/metrics/detection/*.md",
    "docs/plugins/*.md",
    *(f"docs/{name}/*.md" for name in ("detection", "llm", "rgb", "segmentation", "text")),
    *(
        f"plugins/{name}/*.md"
        for name in ("classification", "detection", "llm", "rgb", "segmentation")
    ),
)
"""Folders of code and pages written in plain English; add one when it is clean."""

OPENING = re.compile(
    r"(What|Whether|Whoever|Whatever|Those|Of|All that|How|Where|Who|Which|Some|Such) "
)
"""First words of docstrings that paraphrase a noun, unless they ask a question."""

PHRASES = re.compile(
    r"\b(tells?|told|stands?(?!-)|stood|whoever|whatever|nobody|somebody|anybody|noticed|mended|refused"
    r"|apart|beside|behind|wholly|of (its|their|one's) own|of (yours|mine|ours)|in place of"
    r"|answered with|left out|leaves out|looked (at|for)|under way|(is|are) there"
    r"|what it (is|says|takes|means)|as (it is|they are)|worked out|stumbles?)\b",
    re.IGNORECASE,
)
"""Words with a private meaning here, and passive phrases with a shorter active one."""


def openings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines and texts of first lines of docstrings and of the names of tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for line in node.body:  # docstrings of the node, and of attributes in its body
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                yield line.lineno, str(line.value.value).strip().partition("\n")[0]
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.removeprefix("test_").replace("_", " ")


def headings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines and texts of the headings of a page."""
    text = re.sub(r"(?ms)^```.*?^```$", lambda m: "\n" * m[0].count("\n"), path.read_text("utf-8"))
    yield from ((i, row) for i, row in enumerate(text.splitlines(), 1) if row.startswith("#"))


def _paraphrases(text: str) -> bool:
    return OPENING.match(text) is not None and not text.endswith("?")


def test_docstrings_test_names_and_headings_use_no_private_words() -> None:
    code = [file for name in FOLDERS for file in (ROOT / name).rglob("*.py")]
    pages = [page for name in PAGES for page in ROOT.glob(name)]
    texts = [(file, *text) for file in code for text in openings(file)]
    texts += [(page, *text) for page in pages for text in headings(page)]
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file, line, text in texts
        if _paraphrases(text.lstrip("# ")) or PHRASES.search(re.sub("`.*?`", "", text))
    ]
    assert not found, "\n".join(found)
