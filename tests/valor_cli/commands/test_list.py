from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from valor_cli.commands import diagnosis

from valor_core.specs.registry import install_metrics

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.mark.usefixtures("lab")
def test_metrics_are_listed_by_namespace(valor):
    result = valor("list", "shoutlab")

    assert result.exit_code == 0
    assert result.stdout == (
        "shoutlab, from shoutlab 1.2\n\n"
        "metric             task  better  what it is\n"
        "-----------------  ----  ------  -------------------------------\n"
        "shoutlab.Broken    text  lower   Fails on every item\n"
        "shoutlab.Loudness  text  higher  Share of capitals in a response\n"
    )


@pytest.mark.usefixtures("lab")
def test_list_does_not_import_metric_code(valor):
    valor("list")

    assert "shoutlab.plugin" in sys.modules
    assert "shoutlab.loudness" not in sys.modules


@pytest.mark.usefixtures("lab")
def test_readers_resources_and_galleries_can_be_listed(valor):
    result = valor("list", "--readers", "--resources", "--galleries", "shoutlab")

    assert "shoutlab.lines  text  A response on each line" in result.stdout
    assert "shoutlab.megaphone  Makes louder" in result.stdout
    assert "shoutlab.Posters  text  Draws responses" in result.stdout
    assert "Loudness" not in result.stdout


def test_engines_tasks_commands_and_resource_kinds_can_be_listed(install, valor):
    install("ranklab", "ranklab", PLUGINS / "ranklab")

    result = valor("list", "--engines", "--tasks", "--commands", "--resource-kinds")

    assert "core.local  This machine: serially, in threads or in processes" in result.stdout
    assert "ranklab.retrieval  Documents found for a query, in order" in result.stdout
    assert "ranklab.rank         Rank some words." in result.stdout
    assert "ranklab.echo   ranklab.judge  Answers with the question" in result.stdout
    assert "classification.F1" not in result.stdout


def test_foreign_distribution_in_project_namespace_is_warning(install, valor, monkeypatch):
    monkeypatch.setattr(diagnosis, "OWNERS", {"robots": "valor-robots"})
    source = "from valor_core.specs import hookimpl\n@hookimpl\ndef valor_metrics(): return []\n"
    install("totally-unrelated", "robots", {"__init__.py": "", "plugin.py": source})

    for command in ("list", "doctor"):
        result = valor(command)

        assert result.exit_code == 0
        assert (
            "warning: plugin 'robots' (totally-unrelated 1.0): expected the namespace "
            "of valor-robots, found another distribution\n"
        ) in result.stderr


@pytest.mark.usefixtures("lab")
def test_json_has_same_content(valor):
    record = json.loads(valor("list", "--json").stdout)

    (loudness,) = [m for m in record["metrics"] if m["name"] == "shoutlab.Loudness"]
    assert loudness == {
        "name": "shoutlab.Loudness",
        "summary": "Share of capitals in a response",
        "task": "text",
        "other_tasks": [],
        "higher_is_better": True,
        "version": 1,
        "aliases": ["shouting"],
        "distribution": "shoutlab 1.2",
    }
    assert record["failures"] == {}


def test_broken_plugin_is_listed_last_with_cause(lab, valor):
    (lab.parent / "site" / "shoutlab" / "parameters.py").write_text("import surely_not_there")

    result = valor("list")

    assert result.exit_code == 0
    assert "not usable: shoutlab: plugin 'shoutlab' (shoutlab 1.2)" in result.stderr
    assert "No module named 'surely_not_there'" in result.stderr
    assert "shoutlab" not in result.stdout


@pytest.mark.usefixtures("lab")
def test_unknown_namespace_exits_with_2(valor):
    result = valor("list", "shoutlap")

    assert result.exit_code == 2
    assert "Did you mean 'shoutlab'?" in result.stderr


def test_empty_list_prints_message(valor, monkeypatch):
    monkeypatch.setattr("valor_core.specs.registry.claims", lambda: ())

    result = valor("list")

    assert result.exit_code == 0
    assert "no metrics are installed" in result.stderr
    assert install_metrics() in result.stderr
    assert "no readers are installed\n" in valor("list", "--readers").stderr


def test_task_column_is_hidden_if_equal_to_namespace(valor):
    of_one_task, of_another = valor("list", "classification"), valor("list", "nvidia")

    titles = of_one_task.stdout.splitlines()[2].split("  ")
    assert [title.strip() for title in titles if title] == ["metric", "better", "what it is"]
    assert "task" in of_another.stdout.splitlines()[2]
