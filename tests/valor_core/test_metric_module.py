from __future__ import annotations

from pathlib import Path

import pytest

from valor_core.errors import ConfigError
from valor_core.metric_module import decorated


def test_a_file_of_metrics_must_be_python(tmp_path: Path) -> None:
    (tmp_path / "metrics_of_mine.txt").write_text("")

    with pytest.raises(ConfigError, match=r"cannot be imported, ImportError: not a Python file$"):
        decorated(tmp_path / "metrics_of_mine.txt")


def test_a_file_of_metrics_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.py"

    with pytest.raises(ConfigError) as caught:
        decorated(path)

    assert str(caught.value) == f"modules: there is no file {path}"
