from __future__ import annotations

from pathlib import Path

import pytest
from messages import refused
from valor_cli.config.config_file import Request

from valor_core.errors import ConfigError


def test_missing_config_is_named(tmp_path: Path) -> None:
    with refused(ConfigError):
        Request.from_file(tmp_path / "config.json")


def test_report_with_deeply_nested_config_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    deep = '{"a": ' * 150 + "1" + "}" * 150
    path.write_text(f'{{"valor_report": 1, "results": [], "config": {{"data": {deep}}}}}')

    with pytest.raises(ConfigError, match="expected at most 100 levels, found more"):
        Request.from_report(path)
