from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from click.testing import CliRunner
from messages import refused
from valor_cli.config.modules import import_file, registry_with
from valor_cli.program.program import program

from valor_core.errors import ConfigError, ManifestError, PluginConflictError, RegistryError
from valor_core.packages import ways
from valor_core.specs import extensions, registry
from valor_core.specs.extensions import claims

LAB = '''
"""Metrics, a reader, a command and a report format of one file."""

import valor_core
from attrs import define, frozen
from valor_core import Result, Text
from valor_core.parameters import NoParameters, parameter, parameters
from valor_core.readers.reader import Position
from valor_core.results import report_format
from valor_core.schemas.text import TextBatch
from valor_core.specs import CommandSpec, MetricSpec, Range, ReaderSpec, hookimpl
from valor_core.states import DerivedState, StateRequest, counted


@valor_core.metric("onelab.Short", task="text")
def short(item) -> float:
    """Return True if a response has few letters."""
    return float(len(item.response) < 5)


@define
class Words(DerivedState):
    words: set[str] = counted(set)

    def update(self, batch):
        for response in batch.responses:
            self.words.update(response.split())


@frozen
class Vocabulary:
    """Number of distinct words."""

    parameters: NoParameters

    def needs(self):
        return (StateRequest(Words),)

    def compute(self, state):
        yield Result(value=len(state.words))


@parameters
class LineParameters:
    text: str = parameter(default="a bb/a ccc", help="Lines, separated by slashes.")


@frozen
class Lines:
    """Reader with a partition for each line."""

    parameters: LineParameters
    task: str

    def partitions(self):
        return [Position(i) for i in range(len(self.parameters.text.split("/")))]

    def read(self, partition):
        line = self.parameters.text.split("/")[partition.number]
        yield TextBatch.of([Text(f"line {partition.number}", response=line)])


def worst(arguments):
    print("worst:", *arguments)
    return len(arguments)


@report_format(".onelab")
def lines_of(report):
    return "".join(f"{result.type}={result.value}\\n" for result in report)


@hookimpl
def valor_metrics():
    return [
        MetricSpec(
            name="onelab.Vocabulary",
            task="text",
            summary="Distinct words",
            implementation="one_file_lab:Vocabulary",
            higher_is_better=None,
            range=Range(0),
        )
    ]


@hookimpl
def valor_readers():
    return [
        ReaderSpec(
            name="onelab.lines",
            task="text",
            summary="Lines",
            parameters=LineParameters,
            implementation="one_file_lab:Lines",
        )
    ]


@hookimpl
def valor_commands():
    return [
        CommandSpec(
            name="onelab.worst_items", summary="Print items.", implementation="one_file_lab:worst"
        )
    ]
'''
CONFIG = """
task: text
modules: [one_file_lab.py]
data: {reader: onelab.lines}
metrics: [onelab.Short, onelab.Vocabulary]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    before = set(sys.modules)
    (tmp_path / "one_file_lab.py").write_text(LAB)
    (tmp_path / "lab.yaml").write_text(CONFIG)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    extensions._DECORATED.clear()  # else other tests see the report formats


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_metric_module_must_be_python(folder: Path) -> None:
    path = write(folder, "metrics_of_mine.txt", "")

    with refused(ConfigError):
        import_file(path)


def test_missing_metric_module_is_named(tmp_path: Path) -> None:
    with refused(ConfigError):
        import_file(tmp_path / "nowhere.py")


def test_metric_module_that_calls_sys_exit_is_rejected(folder: Path) -> None:
    path = write(folder, "a_script_of_mine.py", "raise SystemExit(3)")

    with pytest.raises(ConfigError, match="cannot be imported, SystemExit: 3"):
        import_file(path)


def test_changed_file_is_imported_again(folder: Path) -> None:
    text = (
        "from valor_core import metric\n\n\n@metric('mine.{}', task='text')\ndef one(item): ...\n"
    )
    names = []
    for name in ("First", "Second2"):
        path = write(folder, "metrics_written_anew.py", text.format(name))
        names += [import_file(path).one.name, import_file(path).one.name]

    assert names == ["mine.First", "mine.First", "mine.Second2", "mine.Second2"]


def test_file_with_hooks_and_decorated_metric_runs_in_processes(folder: Path, valor) -> None:
    result = valor("run", "lab.yaml", "--workers", "2", "-o", "r.json", "-o", "r.onelab")

    assert result.exit_code == 0, result.stderr
    assert "Short       0.5000\nVocabulary       3\n" in result.stdout
    assert (folder / "r.onelab").read_text() == "Short=0.5\nVocabulary=3\n"
    report = json.loads((folder / "r.json").read_text())
    assert report["config"]["modules"] == ["one_file_lab.py"]
    assert sorted(report["versions"]) == ["numpy", "valor-core"]
    assert valor("rerun", "r.json").exit_code == 0


def test_command_of_file_runs(folder: Path, valor) -> None:
    result = valor("--module", "one_file_lab.py", "worst-items", "--help", "a")

    assert (result.exit_code, result.stdout) == (2, "worst: --help a\n")
    listed = valor("--module", "one_file_lab.py", "--help").stdout
    assert "From one_file_lab.py:\n  worst-items  Print items.\n" in listed


def test_module_option_after_its_command_names_the_right_order(folder: Path, valor) -> None:
    result = valor("worst-items", "a", "--module", "one_file_lab.py")

    assert result.exit_code == 2
    assert "Write the option first: valor --module FILE worst-items …" in result.stderr


def test_remedy_of_missing_metrics_repeats_file(folder: Path, valor) -> None:
    Path("answers.csv").write_text("uid,response,references\nq1,Paris,Paris\n", encoding="utf-8")

    result = valor("run", "--module", "one_file_lab.py", "answers.csv", "--task", "text")

    assert "valor run --module one_file_lab.py answers.csv --task text --metrics" in result.stderr


def test_resources_in_a_section_of_that_name_are_moved_up(folder: Path, valor) -> None:
    config = "resources: {judge: {client: fake}}\n" + CONFIG
    Path("config.yaml").write_text(config, encoding="utf-8")

    result = valor("run", "config.yaml")

    assert "resources: no chosen metric uses a resource of this name" in result.stderr
    remedy = 'Write its sections at the top level of the config: judge: {"client": "fake"}'
    assert remedy in result.stderr


def test_error_inside_a_command_of_a_file_names_the_file(folder: Path, valor) -> None:
    path = folder / "one_file_lab.py"
    path.write_text(path.read_text().replace('print("worst:", *arguments)', "return 1 / 0"))

    result = valor("--module", "one_file_lab.py", "worst-items")

    assert "ZeroDivisionError: division by zero; this is a bug in one_file_lab.py" in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("list", "onelab", "--module", "one_file_lab.py"),
        ("--module", "one_file_lab.py", "list", "onelab"),
        ("list", "--readers", "onelab", "--module", "one_file_lab.py"),
        ("show", "onelab.Vocabulary", "--module", "one_file_lab.py"),
        ("doctor", "--module", "one_file_lab.py"),
        ("schema", "--module", "one_file_lab.py"),
    ],
)
def test_commands_accept_file(folder: Path, valor, command: tuple[str, ...]) -> None:
    result = valor(*command)

    assert result.exit_code == 0, result.stderr
    assert "onelab" in result.stdout


def test_run_and_init_record_files_of_the_option(folder: Path, valor) -> None:
    write(folder, "a.csv", "uid,response\nq,a b\n")
    chosen = ("a.csv", "-m", "onelab.Short", "--module", "one_file_lab.py")

    made = valor("init", *chosen, "-o", "new.yaml")
    ran = valor("run", *chosen, "--save-config", "saved.yaml")

    assert (made.exit_code, ran.exit_code) == (0, 0), made.stderr + ran.stderr
    for name in ("new.yaml", "saved.yaml"):
        assert "modules:\n- one_file_lab.py\n" in (folder / name).read_text()
        assert valor("run", name).exit_code == 0


def test_file_without_metrics_and_hooks_is_rejected(folder: Path) -> None:
    path = write(folder, "empty_of_mine.py", "import valor_core\n")

    with refused(RegistryError):
        registry_with([path])


def test_undecorated_hook_is_rejected(folder: Path) -> None:
    path = write(folder, "undecorated_of_mine.py", "def valor_readers():\n    return []\n")

    with refused(ManifestError):
        registry_with([path])


def test_misspelled_hook_is_rejected(folder: Path) -> None:
    text = LAB.replace("def valor_readers", "def valor_raeders")
    path = write(folder, "one_file_lab.py", text)

    with pytest.raises(ManifestError, match=r"one_file_lab\.py: plugin.*unknown hook 'valor_raed"):
        registry_with([path])


def test_names_of_two_namespaces_are_rejected(folder: Path) -> None:
    path = write(folder, "one_file_lab.py", LAB.replace('"onelab.lines"', '"otherlab.lines"'))

    with refused(ManifestError):
        registry_with([path])


def test_failing_hook_has_no_uninstall_remedy(folder: Path) -> None:
    text = LAB.replace("return [\n        MetricSpec", "1 / 0\n    return [\n        MetricSpec")
    path = write(folder, "one_file_lab.py", text)

    with refused(RegistryError):
        registry_with([path])


def test_two_files_of_one_namespace_are_rejected(folder: Path) -> None:
    other = write(folder, "second_lab.py", LAB)

    with refused(PluginConflictError):
        registry_with([folder / "one_file_lab.py", other])


@pytest.mark.parametrize(
    "statement",
    ["from valor_core.plugin import shown", "from valor_core.errors import shown"],
    ids=["package", "module"],
)
def test_file_with_import_of_earlier_version_gets_the_new_one(
    tmp_path: Path, statement: str
) -> None:
    (tmp_path / "old_lab.py").write_text(statement)

    with pytest.raises((ConfigError, RegistryError)) as caught:
        import_file(tmp_path / "old_lab.py")

    assert "cannot be imported, " in caught.value.message
    assert caught.value.remedy == "Write: from valor_core.errors import short_repr"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import valor_core\n\nvalor_core.Metric", "line 3: cannot be imported, AttributeError"),
        ("\ndef score(:", "line 2: cannot be imported, SyntaxError: invalid syntax"),
    ],
)
def test_broken_file_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken_lab.py").write_text(code)

    with pytest.raises(ConfigError) as caught:
        import_file(Path("broken_lab.py"))

    assert f"modules: broken_lab.py, {found}" in caught.value.message
    assert caught.value.remedy == "Show the traceback with: python broken_lab.py"


def test_misspelt_name_of_a_file_suggests_closest(tmp_path: Path) -> None:
    (tmp_path / "mine.py").touch()

    with pytest.raises(ConfigError, match=r"Did you mean 'mine\.py'\?"):
        import_file(tmp_path / "mine")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Config of a text metric of one file, where `valor-text` is not installed."""
    found = tuple(claim for claim in claims() if claim.namespace != "text")
    monkeypatch.setattr(registry, "claims", lambda: found)
    lab = '@valor_core.metric("tinylab.Short", task="text", requires=("response",))\n'
    code = f"import valor_core\n\n{lab}def short(item):\n    return float(len(item.response) < 5)\n"
    (tmp_path / "tinylab.py").write_text(code, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("response\nyes\nperhaps\n", encoding="utf-8")
    path = tmp_path / "config.yaml"
    text = "modules: [tinylab.py]\ntask: text\ndata: {reader: csv, path: rows.csv}\nmetrics: [%s]\n"
    path.write_text(text % "tinylab.Short", encoding="utf-8")
    return path


def test_metric_of_a_file_runs_without_plugin_of_its_task(config: Path) -> None:
    result = CliRunner().invoke(program, ["run", str(config)])

    assert result.exit_code == 0, result.output
    assert "Short   0.5000" in result.output


def test_bare_metric_name_needs_plugin_of_task(config: Path) -> None:
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("tinylab.Short", "tinylab.Short, ROUGE"), encoding="utf-8")

    result = CliRunner().invoke(program, ["run", str(config)])

    assert result.exit_code == 2
    assert (
        "config.yaml: metrics and data need the plugin 'text', not installed here" in result.output
    )
    assert ways("valor-text") in result.output


def test_workers_import_the_file_that_was_imported_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(tmp_path)
    first, second = Path("first", "twolab.py"), Path("second", "twolab.py")
    for file in (first, second):
        file.parent.mkdir()
        file.write_text(f"PLACE = {file.parent.name!r}\n")

    for file in (first, second, first):
        assert file.parent.name == import_file(file).PLACE
        (tmp_path / "elsewhere").mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / "elsewhere")
        found = PathFinder.find_spec("twolab")
        assert found is not None
        assert found.origin == str(tmp_path / file)
        monkeypatch.chdir(tmp_path)
    sys.modules.pop("twolab")


def test_failing_item_names_file_and_line_of_the_metric(folder: Path, valor) -> None:
    write(folder, "one_file_lab.py", LAB)
    path = write(
        folder,
        "mine.py",
        """\
from valor_core import metric


@metric("mine.Score", task="text")
def score(item) -> float:
    return points(item)


def points(item):
    return {}[item.response]
""",
    )
    write(folder, "items.csv", "response,reference\nyes,yes\n")
    data = {"reader": "csv", "path": "items.csv"}
    config = {"task": "text", "modules": [path.name], "data": data, "metrics": ["mine.Score"]}
    write(folder, "mine.json", json.dumps(config))

    result = valor("run", "mine.json")

    assert "failed: mine.py, line 10: KeyError: 'yes' (1)" in result.stdout
    sys.modules.pop("mine", None)
