from __future__ import annotations

from pathlib import Path

import pytest
from messages import refused
from valor_cli.config.config_file import Request

from valor_core.errors import ConfigError


def test_a_missing_config_is_named(tmp_path: Path) -> None:
    with refused(ConfigError):
        Request.from_file(tmp_path / "config.json")


def test_a_report_whose_config_has_no_bottom_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    deep = '{"a": ' * 150 + "1" + "}" * 150
    path.write_text(f'{{"valor_report": 1, "results": [], "config": {{"data": {deep}}}}}')

    with pytest.raises(ConfigError, match="expected at most 100 levels, found more"):
        Request.from_report(path)
