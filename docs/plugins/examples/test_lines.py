import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
ROW = re.compile(r"^\| \[(\w+)\]\(\S+\) \| [^|]+ \| (\d+) \| (\d+) \| \d+ \|$", re.MULTILINE)


def code_lines(path: Path) -> int:
    """Count lines that are neither blank, comments nor docstrings."""
    text = path.read_text(encoding="utf-8")
    strings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(text.splitlines(), 1)
    return sum(bool(line.strip()) for number, line in lines if number not in strings) - sum(
        line.strip().startswith("#") for line in text.splitlines()
    )


def test_page_lists_every_plugin_with_its_lines():
    page = FOLDER.with_suffix(".md").read_text(encoding="utf-8")
    folders = sorted(path.name for path in FOLDER.iterdir() if path.name.isidentifier())
    found = [
        (name, sum(map(code_lines, code)), sum(map(code_lines, tests)))
        for name in folders
        if (code := [path for path in (FOLDER / name).rglob("*.py") if "test" not in path.name])
        and (tests := list((FOLDER / name).rglob("test_*.py")))
    ]
    assert sorted((name, int(code), int(tests)) for name, code, tests in ROW.findall(page)) == found
