from __future__ import annotations

from pathlib import Path

import pytest
from messages import refused
from valor_cli.config.modules import decorated

from valor_core.errors import ConfigError


def test_metric_module_must_be_python(tmp_path: Path) -> None:
    (tmp_path / "metrics_of_mine.txt").write_text("")

    with refused(ConfigError):
        decorated(tmp_path / "metrics_of_mine.txt")


def test_missing_metric_module_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.py"

    with refused(ConfigError):
        decorated(path)


def test_metric_module_that_calls_sys_exit_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a_script_of_mine.py"
    path.write_text("raise SystemExit(3)")

    with pytest.raises(ConfigError, match="cannot be imported, SystemExit: 3"):
        decorated(path)


def test_metric_module_can_be_imported_again(tmp_path: Path) -> None:
    path = tmp_path / "metrics_written_anew.py"
    text = (
        "from valor_core import metric\n\n\n@metric('mine.{}', task='text')\ndef one(item): ...\n"
    )
    names = []
    for name in ("First", "Second2"):
        path.write_text(text.format(name))
        names += [spec.name for spec in decorated(path)]

    assert names == ["mine.First", "mine.Second2"]
