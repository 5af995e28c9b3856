"""Documentation: code blocks run, links are valid and generated parts are up to date."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from cases import for_each
from click.testing import CliRunner, Result
from page_blocks import Block, blocks, blocks_of
from valor_cli.config.schema import RunConfig
from valor_cli.program.program import COMMANDS, program

from valor_core.parameters import parameters_of
from valor_core.specs import MetricSpec, Registry

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "plugins").glob("*/*.md"),
    *(ROOT / "examples").rglob("*.md"),
    *DOCS.rglob("*.md"),
]
RECIPES = DOCS / "recipes.md"
PARTS = ("Definition", "Example", "Edge cases", "Other programs")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def valor(*arguments: str) -> Result:
    """Run a command without the modules that Python blocks imported."""
    imported = {path.stem: sys.modules.pop(path.stem, None) for path in Path.cwd().glob("*.py")}
    result = CliRunner().invoke(program, arguments, prog_name="valor")
    for name, module in imported.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module
    return result


def run_python(block: Block, names: dict[str, object], page: Path) -> None:
    if ">>>" not in block.text:
        exec(compile(block.text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, name_of(page), str(page), 0)
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(test, out=failures.append, clear_globs=False)
    names.update(test.globs)
    assert not failures, "".join(failures)


def run_console(block: Block) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "valor", command
        found = valor(*arguments).output
        assert doctest.OutputChecker().check_output(expected, found, OPTIONS), (
            f"$ {command}\nexpected:\n{expected}\nfound:\n{found}"
        )


def run_config(block: Block, folder: Path) -> None:
    path = folder / (block.file or "config.yaml")
    path.write_text(block.text, encoding="utf-8")
    if "metrics" in yaml.safe_load(block.text):
        run = valor("run", path.name, "--quiet")
        assert run.exit_code == 0, run.output


@contextmanager
def working_in(folder: Path) -> Iterator[Path]:
    """Context with another working directory, whose modules are unloaded at the end."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(folder)
        yield folder
    for module in folder.glob("*.py"):
        sys.modules.pop(module.stem, None)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with working_in(tmp_path) as path:
        yield path


@pytest.fixture
def tracked(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, float]]:
    """Numbers logged to fake modules of experiment trackers."""
    kept: dict[str, dict[str, float]] = {"wandb": {}, "mlflow": {}, "tensorboard": {}}

    class Writer(nullcontext["Writer"]):
        def __init__(self, folder: str) -> None:
            super().__init__(self)

        def add_scalar(self, key: str, value: float, step: int) -> None:
            kept["tensorboard"][key] = value

    run = SimpleNamespace(log=kept["wandb"].update)
    stand_ins = {
        "wandb": SimpleNamespace(init=lambda project: run, Html=len),
        "mlflow": SimpleNamespace(
            log_metrics=kept["mlflow"].update, log_text=lambda text, artifact_file: None
        ),
        "torch.utils.tensorboard": SimpleNamespace(SummaryWriter=Writer),
    }
    for name, module in stand_ins.items():
        monkeypatch.setitem(sys.modules, name, module)
    return kept


OF_METRICS = [page for page in PAGES if page.parent.parent == DOCS / "metrics"]
"""Pages of metrics, which have one or two blocks each."""

OTHERS = [page for page in PAGES if page not in (*OF_METRICS, RECIPES)]


@for_each("page", OF_METRICS, ids=name_of)
def test_code_blocks_of_metric_pages_run(
    page: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with working_in(tmp_path_factory.mktemp("page")) as folder:
        run_page(page, folder)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in (*OF_METRICS, RECIPES)], ids=name_of
)
def test_code_blocks_of_pages_run(page: Path, folder: Path) -> None:
    run_page(page, folder)


def run_page(page: Path, folder: Path) -> None:
    names: dict[str, object] = {"__name__": "page"}
    if "examples/" in page.read_text(encoding="utf-8"):
        shutil.copytree(ROOT / "examples", folder / "examples")
    for block in blocks(page):
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.language == "python" and block.file is None:
            run_python(block, names, page)
        elif block.language == "yaml":
            run_config(block, folder)
        elif block.language == "console":
            run_console(block)
        elif block.language == "toml":
            tomllib.loads(block.text)
        else:
            assert block.language in ("python", "json", "text", "sh", "c"), block


def test_recipes_log_every_number_to_experiment_trackers(
    folder: Path, tracked: dict[str, dict[str, float]]
) -> None:
    run_page(RECIPES, folder)

    expected = {"val/Accuracy": 2 / 3, "val/ROCAUC__dog": 1.0}
    for tracker, numbers in tracked.items():
        assert expected.items() <= numbers.items(), tracker


def test_links_are_valid() -> None:
    broken = [
        f"{name_of(page)}: {target}"
        for page in PAGES
        for target in _LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]

    assert broken == []


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_parts_are_up_to_date(generate: ModuleType) -> None:
    assert [path for path, _, _ in generate.stale(Registry())] == []


def test_outdated_part_is_reported_and_regenerated(
    generate: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: engine local -->\nold\n<!-- end -->\n", encoding="utf-8")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "namespaces", dict)
    monkeypatch.setattr(generate, "pages", lambda: [page])

    assert generate.main(["--check"]) == 1
    assert "page.md: is stale" in capsys.readouterr().err
    assert generate.main([]) == 0
    assert "| `workers` |" in page.read_text(encoding="utf-8")
    assert generate.main(["--check"]) == 0


def test_metric_without_page_is_reported(
    generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    monkeypatch.setattr(generate, "pages", list)

    missing = [path.name for path, old, _ in generate.stale(Registry()) if not old]

    assert "F1.md" in missing


def test_every_metric_has_page_with_all_parts(generate: ModuleType) -> None:
    for spec in generate.metrics(Registry()):
        text = generate.page_of(spec).read_text(encoding="utf-8")
        parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
        written = {
            title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)
        }
        assert tuple(written) == PARTS, spec.name
        assert all(written.values()), spec.name
        assert f"generated: metric {spec.name} " in text


def test_every_metric_page_has_a_metric(generate: ModuleType) -> None:
    expected = {generate.page_of(spec) for spec in generate.metrics(Registry())}

    assert set((DOCS / "metrics").glob("*/*.md")) == expected


def test_readme_has_correct_metric_counts() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    counted = Counter(spec.namespace for spec in Registry().all(MetricSpec))

    found = re.findall(r"\[(\d+) (?:\w+ )?metrics[^\]]*\]\(docs/metrics/index\.md#(\w+)\)", text)

    assert len(found) == 3
    assert {family: int(count) for count, family in found} == {
        family: counted[family] for _, family in found
    }


def test_every_command_is_documented() -> None:
    text = (DOCS / "reference/command-line.md").read_text(encoding="utf-8")

    for commands in COMMANDS.values():
        for name in commands:
            assert f"\n## valor {name}\n" in text


def test_every_config_key_is_documented() -> None:
    prose = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))

    for parameter in parameters_of(RunConfig):
        assert re.search(rf"`{parameter.name}[`:]|^{parameter.name}:", prose, re.MULTILINE), (
            parameter.name
        )


def test_quick_start_has_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Two commands")[2].partition("\n## ")[0]

    commands = [block.text for block in blocks_of(section)]

    assert [command.count("\n") for command in commands] == [1, 1]
    assert all(command.startswith("python3 -m venv .boot && ") for command in commands)
    assert commands[0].endswith("valor run examples/digits/config.yaml\n")
    assert commands[1].endswith("run pytest -n auto\n")
    assert commands[0] in (DOCS / "index.md").read_text(encoding="utf-8")


def test_ci_runs_commands_of_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    patterns = re.findall(r"grep '(\S.*)' README\.md", script)

    assert [len(re.findall(pattern, readme, re.MULTILINE)) for pattern in patterns] == [1, 1]


def test_site_builds_without_warnings_or_external_resources(tmp_path: Path) -> None:
    site = tmp_path / "site"

    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )

    assert build.returncode == 0, build.stderr
    loaded = re.compile(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?:https?:)?//")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page


def test_picture_of_matching_rules_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("matching_rules", DOCS / "matching_rules.py")
    assert spec is not None
    assert spec.loader is not None
    drawing = importlib.util.module_from_spec(spec)
    sys.modules["matching_rules"] = drawing
    spec.loader.exec_module(drawing)

    assert drawing.PICTURE.read_text(encoding="utf-8") == drawing.svg()
