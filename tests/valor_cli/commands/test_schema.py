from __future__ import annotations

import json


def test_schema_contains_installed_metrics(lab, valor):
    result = valor("schema")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["title"] == "Valor config"
    assert "shoutlab.Loudness" in result.stdout
    assert valor("schema", "--json").stdout == result.stdout


def test_schema_is_written_to_file(lab, valor, tmp_path):
    file = tmp_path / "valor.schema.json"

    result = valor("schema", "-o", str(file))

    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert file.read_text() == valor("schema").stdout
    assert json.loads(valor("schema", "-o", str(file), "--json").stdout) == {"schema": str(file)}


def test_schema_that_cannot_be_written_is_an_error(lab, valor, tmp_path):
    result = valor("schema", "-o", str(tmp_path / "absent" / "a.json"))

    assert result.exit_code == 2
    assert "a.json: cannot be written, No such file or directory" in result.stderr
    assert f"mkdir -p {tmp_path / 'absent'}\n" in result.stderr


def test_schema_does_not_overwrite_a_config(lab, valor, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("metrics: [F1]\n")

    result = valor("schema", "-o", str(config))

    assert result.exit_code == 2
    assert "exists already and is not a schema of configs" in result.stderr
    assert config.read_text() == "metrics: [F1]\n"


def test_schema_names_excluded_plugins(lab, valor):
    (lab.parent / "site" / "shoutlab" / "plugin.py").write_text("1 / 0")

    result = valor("schema")

    assert result.exit_code == 0
    assert "excluded: shoutlab: " in result.stderr
