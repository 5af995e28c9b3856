from __future__ import annotations

from pathlib import Path

import pytest

from valor_core.errors import ConfigError
from valor_core.request import Request


def test_a_missing_config_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        Request.from_file(tmp_path / "config.json")
