from __future__ import annotations

import pytest

from valor_core import installer
from valor_core.installer import install, uninstall


def test_pip_installs_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "find_spec", lambda name: object())

    assert install("valor-text") == "python -m pip install valor-text"
    assert uninstall("valor-text") == "python -m pip uninstall valor-text"


def test_uv_installs_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "find_spec", lambda name: None)

    assert install("valor-text") == "uv pip install valor-text"
    assert uninstall("valor-text") == "uv pip uninstall valor-text"


def test_an_extra_is_quoted_for_the_shell() -> None:
    assert install("valor-core[cli]").endswith(" install 'valor-core[cli]'")
    assert install("-e", "my plugin").endswith(" install -e 'my plugin'")


def test_whether_there_is_pip_is_asked_of_the_running_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(installer, "find_spec", asked.append)

    install("valor-text")

    assert asked == ["pip"]
