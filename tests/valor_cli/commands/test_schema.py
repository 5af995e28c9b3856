from __future__ import annotations

import json


def test_schema_contains_installed_metrics(lab, valor):
    result = valor("schema")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["title"] == "Valor config"
    assert "shoutlab.Loudness" in result.stdout
    assert valor("schema", "--json").stdout == result.stdout


def test_schema_names_excluded_plugins(lab, valor):
    (lab.parent / "site" / "shoutlab" / "plugin.py").write_text("1 / 0")

    result = valor("schema")

    assert result.exit_code == 0
    assert "excluded: shoutlab: " in result.stderr
