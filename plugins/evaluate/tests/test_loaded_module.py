"""Loading of modules: sources, missing parts, and rejected scripts."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from click.testing import CliRunner
from evaluate import EvaluationModule, config
from valor_cli.program.program import program
from valor_evaluate.modules.loaded_module import load
from valor_evaluate.modules.script import Script

from valor_core import Report, Text, evaluate
from valor_core.errors import MissingExtraError, ParameterError

MODULES = Path(__file__).parent / "evaluate_modules"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty folder for cached modules of `evaluate`."""
    modules = tmp_path / "modules"
    monkeypatch.setattr(config, "HF_MODULES_CACHE", modules)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return modules


def chosen(name: str, **parameters: Any) -> dict[str, Any]:
    return {"name": "hf.Module", "module": name, "allow_code": True} | parameters


def refusal(match: str, choice: Any, kind: type[Exception] = ParameterError) -> str:
    with pytest.raises(kind, match=re.escape(match)) as caught:
        evaluate([Text("a", response="x")], [choice])
    return str(caught.value)


def test_code_is_not_executed_without_permission(tmp_path: Path) -> None:
    script = tmp_path / "reckless.py"
    script.write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")

    refusal("expected true to execute", chosen(str(script), allow_code=False))
    assert not (tmp_path / "executed").exists()
    refusal("hf.Module: module: expected a class", chosen(str(script)))
    assert (tmp_path / "executed").exists()


def test_missing_packages_have_install_command() -> None:
    message = refusal(
        "the module needy needs no_such_package", chosen(str(MODULES / "needy")), MissingExtraError
    )

    first, second = message.split("\n")
    assert first == (
        "hf.Module: the module needy needs no_such_package and no_such_tree, "
        "which are not installed"
    )
    assert second.endswith(" no_such_package git+https://example.org/tree.git")


def test_missing_evaluate_has_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)

    refusal("the module rouge needs evaluate", chosen("rouge"), MissingExtraError)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("half", "module: half needs other_half.py"),
        ("misnamed", "expected the script misnamed.py"),
        ("empty", "hf.Module: module: expected a class"),
        ("chosen", "chosen cannot be loaded, KeyError"),
    ],
)
def test_incomplete_module_is_rejected(name: str, message: str) -> None:
    refusal(message, chosen(str(MODULES / name)))


def test_configuration_is_selected_by_name() -> None:
    report = evaluate(
        [Text("a", response="x")], [chosen(str(MODULES / "chosen"), config_name="loud")]
    )

    (result,) = report
    assert result.value == 1.0
    assert result.parameters["config_name"] == "loud"


def test_changed_script_is_executed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    script = tmp_path / "half.py"
    text = (MODULES / "chosen" / "chosen.py").read_text()
    items = [Text("a", response="x")]

    script.write_text(text)
    (before,) = evaluate(items, [chosen(str(script), config_name="loud")])
    script.write_text(text.replace("return 1.0", "return 0.5"))
    (after,) = evaluate(items, [chosen(str(script), config_name="loud")])

    assert (before.value, after.value) == (1.0, 0.5)
    assert before.parameters["script"] != after.parameters["script"]
    assert [path.name for path in tmp_path.iterdir()] == ["half.py"]


class TestNames:
    def test_name_with_or_without_namespace_finds_cached_module(self, cache: Path) -> None:
        place = cache / "evaluate_modules" / "metrics" / "evaluate-metric--folded" / ("0" * 64)
        place.mkdir(parents=True)
        for file in (MODULES / "folded").glob("*.py"):
            (place / file.name).write_text(file.read_text())

        items = [Text("a", response="the cat said")]
        short = evaluate(items, [{"name": "hf.folded", "allow_code": True}])
        long = evaluate(items, [chosen("folded")])

        assert short["Module"].value == 2 / 3  # of three words, all but "said" are in the list
        assert short.results[0] == long.results[0]
        assert short.results[0].parameters["module"] == "folded"

    def test_offline_mode_does_not_request_hub(
        self, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(config, "HF_EVALUATE_OFFLINE", True)

        refusal("expected true to execute the code of the module", "hf.polite")
        refusal("expected the folder of a script", chosen("polite"))

    @pytest.mark.parametrize(
        "raised",
        [
            FileNotFoundError("Couldn't find"),
            ConnectionError("no route"),
            RuntimeError("401\nlog in"),
        ],
    )
    def test_unreachable_hub_is_reported(
        self, raised: Exception, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def ask(*_: Any, **__: Any) -> None:
            raise raised

        loading = importlib.import_module("evaluate.loading")
        monkeypatch.setattr(loading, "evaluation_module_factory", ask)

        refusal("expected the folder of a script", chosen("somebody/polite"))

    def test_path_is_never_requested_from_hub(
        self, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importlib.import_module("evaluate.loading"), "cached_path", None)

        for path in ("/no/such/polite", "no/such/polite", "../polite"):
            refusal("expected the folder of a script", chosen(path))

    @pytest.mark.parametrize("writable", [True, False])
    def test_module_is_downloaded_once(
        self,
        writable: bool,
        cache: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        loading = importlib.import_module("evaluate.loading")
        asked = []

        def download(factory: Any, revision: str) -> str:
            asked.append((factory.name, revision))
            return str(MODULES / "length_ratio" / "length_ratio.py")

        monkeypatch.setattr(loading.HubEvaluationModuleFactory, "download_loading_script", download)
        monkeypatch.setattr(loading, "head_hf_s3", None)  # it would count the download
        if not writable:
            monkeypatch.setattr(config, "HF_MODULES_CACHE", Path(os.devnull) / "modules")
        choice = chosen("somebody/length_ratio", revision="v7")

        report = evaluate([Text("a", response="four", references="no")], [choice])

        assert report["Module"].value == 2.0
        assert asked == [("somebody/length_ratio", "v7")]
        if writable:
            again = evaluate(
                [Text("a", response="four", references="no")], [chosen("somebody/length_ratio")]
            )
            assert again["Module"].value == 2.0
            assert len(asked) == 1


def test_config_in_another_folder_runs_with_read_only_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "of the config"
    (folder / "tagged").mkdir(parents=True)
    (folder / "tagged" / "tagged.py").write_text((MODULES / "tagged" / "tagged.py").read_text())
    (folder / "items.csv").write_text("uid,response,references\na,B-X O,B-X O\nb,O,B-X\n")
    request = {
        "task": "text",
        "data": {"reader": "csv", "path": "items.csv"},
        "metrics": [{"name": "hf.Module", "module": "tagged", "allow_code": True}],
        "output": "report.json",
    }
    (folder / "config.json").write_text(json.dumps(request))
    for name in ("HF_METRICS_CACHE", "HF_MODULES_CACHE"):
        monkeypatch.setattr(config, name, Path(os.devnull) / "home")
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(program, ["run", str(folder / "config.json")])

    assert done.exit_code == 0, done.output
    report = Report.load(folder / "report.json")
    found = report.find("Module", output="accuracy").only
    assert found.value == 2 / 3  # of three words, that of b is wrong
    assert report.config["metrics"][0]["module"] == "tagged"


def undocumented(function: FunctionType) -> FunctionType:
    """Function without docstring, as with ``python -OO``."""
    code = function.__code__
    bare = code.replace(co_consts=(None, *code.co_consts[1:]))
    made = FunctionType(bare, function.__globals__, function.__name__, function.__defaults__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def test_it_runs_without_docstrings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("add", "add_batch", "compute"):
        bare = undocumented(vars(EvaluationModule)[name])
        monkeypatch.setattr(EvaluationModule, name, bare)
    script = tmp_path / "length_ratio.py"
    script.write_text((MODULES / "length_ratio" / "length_ratio.py").read_text())
    items = [Text("a", response="four", references="no")]

    found = evaluate(items, [chosen(str(script))])["Module"].value

    assert found == 2.0
    with pytest.raises(TypeError, match="NoneType"):  # `evaluate` fails like this with -OO
        type(load(Script(script), None).module).__base__(cache_dir=str(tmp_path))


def test_listing_metrics_does_not_import_evaluate() -> None:
    script = (
        "import sys\n"
        "from valor_cli import main\n"
        "sys.argv = ['valor', 'list', 'hf', 'text']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code\n"
        "heavy = {'evaluate', 'datasets', 'pandas', 'pyarrow', 'nltk'} & set(sys.modules)\n"
        "print('heavy:', *sorted(heavy))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    assert "hf.Module" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == "heavy:"
