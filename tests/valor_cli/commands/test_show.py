from __future__ import annotations

import json
from pathlib import Path

import pytest
from valor_cli.commands.show import definition

from valor_core.specs import MetricSpec, Range, Registry
from valor_core.specs.registry import install_metrics

pytestmark = pytest.mark.usefixtures("lab")


def test_metric_is_shown_with_parameters(valor):
    result = valor("show", "shoutlab.loudness")

    assert result.exit_code == 0
    assert result.stdout == (
        "shoutlab.Loudness\n"
        "Share of capitals in a response\n"
        "\n"
        "kind          metric\n"
        "task          text\n"
        "better        higher\n"
        "range         0 to 1\n"
        "version       1\n"
        "per item      yes, the mean of a score for each item\n"
        "requires      response\n"
        "references    Capitals, section 2\n"
        "also called   shouting\n"
        "distribution  shoutlab 1.2\n"
        "\n"
        "Parameters\n"
        "\n"
        "name   type    default  range      what it means\n"
        "-----  ------  -------  ---------  "
        "-----------------------------------------------------\n"
        "floor  number  0.0      in [0, 1]  "
        "Shares below this count as none. Also called minimum.\n"
    )


@pytest.mark.parametrize("name", ["Loudness", "shouting", "shoutlab.SHOUTING"])
def test_bare_names_and_aliases_are_resolved(valor, name):
    assert valor("show", name).stdout.startswith("shoutlab.Loudness\n")


def test_reader_is_shown(valor):
    result = valor("show", "shoutlab.lines")

    assert "kind          reader" in result.stdout
    assert "path           path          required" in result.stdout


def test_resource_is_shown(valor):
    result = valor("show", "megaphone")

    assert "kind          resource" in result.stdout
    assert "It has no parameters." in result.stdout


def test_gallery_is_shown_with_shared_parameters(valor):
    result = valor("show", "posters")

    assert "kind          gallery\ntask          text" in result.stdout
    assert "folder  path          required" in result.stdout
    assert "most    whole number  20" in result.stdout


def test_json_has_same_content(valor):
    record = json.loads(valor("show", "Loudness", "--json").stdout)

    assert record["higher_is_better"] is True
    assert record["requires"] == ["response"]
    assert record["parameters"] == [
        {
            "name": "floor",
            "type": "number",
            "required": False,
            "default": 0.0,
            "range": "in [0, 1]",
            "help": "Shares below this count as none.",
            "aliases": ["minimum"],
        }
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shoutlab.Loudnes", "Did you mean 'shoutlab.Loudness'"),
        ("Loudnes", "Did you mean 'Loudness'"),
        ("zzzzzz", "See what is available with: valor list"),
        ("ghost.Faithfulness", "no installed plugin claims the namespace 'ghost'"),
        ("shoutlab.Loudness@7", "expected version 7"),
    ],
)
def test_unknown_name_exits_with_2(valor, name, message):
    result = valor("show", name)

    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("name", ["shoutlab.megaphone", "megaphone"])
def test_name_wins_over_alias(lab, valor, name):
    plugin = lab.parent / "site" / "shoutlab" / "plugin.py"
    plugin.write_text(plugin.read_text().replace('aliases=("shouting",)', 'aliases=("Megaphone",)'))

    assert valor("show", name).stdout.startswith("shoutlab.megaphone\n")


def test_bare_name_of_several_plugins_is_ambiguous(lab, valor):
    facts = lab.parent / "site" / "shoutlab-1.2.dist-info" / "entry_points.txt"
    facts.write_text("[valor.plugins]\nshoutlab = shoutlab.plugin\notherlab = shoutlab.other\n")
    other = (lab.parent / "site" / "shoutlab" / "plugin.py").read_text()
    (lab.parent / "site" / "shoutlab" / "other.py").write_text(
        other.replace('name="shoutlab.', 'name="otherlab.')
    )

    result = valor("show", "Loudness")

    assert result.exit_code == 2
    assert "Write 'otherlab.Loudness' or 'shoutlab.Loudness'." in result.stderr


def test_unknown_name_without_metrics_shows_package_to_install(valor, monkeypatch):
    monkeypatch.setattr("valor_core.specs.registry.claims", lambda: ())

    result = valor("show", "F1")

    assert result.exit_code == 2
    assert install_metrics() in result.stderr


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("core.local", ["kind          engine", "workers"]),
        ("retrieval", ["kind          task", "item          ranklab.rankings:Ranking"]),
        (
            "ranklab.judge",
            [
                "decided by        model",
                "free              anybody may open it",
                "over all workers  budget",
                "has kinds, by     client",
            ],
        ),
        ("echo", ["kind          resource kind", "resource      ranklab.judge"]),
        ("rank", ["kind          command"]),
    ],
)
def test_every_component_of_plugin_can_be_shown(install, valor, name, lines):
    install("ranklab", "ranklab", Path(__file__).parents[2] / "plugins" / "ranklab")

    result = valor("show", name)

    assert result.exit_code == 0
    for line in lines:
        assert line in result.stdout


def test_definition_has_paragraphs_and_notes() -> None:
    text = definition(Registry().metric("classification.ROCAUC"))

    assert text.startswith("Chance that a random item of the label scores higher")
    assert "Equal to scikit-learn's ``roc_auc_score``" in text
    assert ">>>" not in text
    assert "Parameters" not in text


def test_code_with_import_error_has_no_definition() -> None:
    spec = MetricSpec(
        name="mylab.Gone",
        task="text",
        summary="Gone",
        implementation="no_such_module:gone",
        higher_is_better=None,
        range=Range(),
    )

    assert definition(spec) == ""
