from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import extras
from valor_core.extras import uninstall
from valor_core.plugin import install

Set = Callable[..., None]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Set:
    """An environment in a folder, with some packages in it and some programs on the path."""

    def here(packages: tuple[str, ...] = (), programs: tuple[str, ...] = ()) -> None:
        (tmp_path / "path").mkdir()
        (tmp_path / "bin").mkdir()
        for name in (*(f"path/{program}" for program in programs), "bin/python"):
            (tmp_path / name).touch(mode=0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "path"))
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        monkeypatch.setattr(extras, "find_spec", lambda name: name in packages or None)
        monkeypatch.setattr(extras, "_CLONE", tmp_path / "clone")
        monkeypatch.chdir(tmp_path)

    return here


def test_pip_installs_where_it_is(here: Set, tmp_path: Path) -> None:
    here(packages=("pip",), programs=("uv",))

    assert install("valor-text") == f"{tmp_path}/bin/python -m pip install valor-text"
    assert uninstall("valor-text") == f"{tmp_path}/bin/python -m pip uninstall valor-text"


def test_uv_installs_where_there_is_no_pip(here: Set, tmp_path: Path) -> None:
    here(programs=("uv",))

    assert install("valor-text") == f"uv pip install --python {tmp_path}/bin/python valor-text"
    assert uninstall("valor-text") == f"uv pip uninstall --python {tmp_path}/bin/python valor-text"


def test_uv_need_not_be_on_the_path(here: Set, tmp_path: Path) -> None:
    here(packages=("uv",))

    assert (
        install("valor-text")
        == f"{tmp_path}/bin/python -m uv pip install --python {tmp_path}/bin/python valor-text"
    )


def test_the_uv_beside_a_clone_installs_where_there_is_no_other(here: Set, tmp_path: Path) -> None:
    here()
    folder = tmp_path / "clone" / ".boot" / "bin"
    folder.mkdir(parents=True)
    (folder / "uv").touch(mode=0o755)

    assert install("valor-text") == (
        f"{tmp_path}/clone/.boot/bin/uv pip install --python {tmp_path}/bin/python valor-text"
    )


def test_where_there_is_nothing_pip_is_put_there_first(here: Set, tmp_path: Path) -> None:
    here()

    assert install("valor-text") == (
        f"{tmp_path}/bin/python -m ensurepip && {tmp_path}/bin/python -m pip install valor-text"
    )


def test_a_python_on_the_path_is_called_by_its_name(
    here: Set, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(packages=("pip",))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert install("valor-text") == "python -m pip install valor-text"


def test_the_command_that_is_told_is_there() -> None:
    program, *_ = shlex.split(install("valor-core"))

    assert shutil.which(program)


def test_an_extra_is_quoted_for_the_shell() -> None:
    assert install("valor-core[cli]").endswith(" 'valor-core[cli]'")
    assert install("-e", "my plugin").endswith(" -e 'my plugin'")
