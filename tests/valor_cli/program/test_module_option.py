from __future__ import annotations

import sys

import click
from valor_cli.config.modules import registry_with
from valor_cli.program.command import module_option


def test_registry_contains_decorated_metrics_of_files(tmp_path):
    (tmp_path / "tone_of_mine.py").write_text(
        "import valor_core\n\n"
        "@valor_core.metric('own.Tone', task='text')\n"
        "def tone(item) -> float:\n    return 1.0\n"
    )

    registry = registry_with([tmp_path / "tone_of_mine.py"])
    del sys.modules["tone_of_mine"]

    assert registry.metric("own.Tone").task == "text"


def test_help_of_module_option():
    made = click.command()(module_option("the states")(lambda modules: None))

    (option,) = made.params
    assert option.name == "modules"
    assert option.help == "Python file with decorated metrics of the states."
