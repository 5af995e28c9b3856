"""Scripts of modules, found without executing them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from valor_evaluate.modules.script import Script, cached, cached_names, local, not_found

from valor_core.errors import ParameterError


def cache(modules: Path, folder: str, digest: str, text: str, age: int = 0) -> Path:
    """Script in the cache of `evaluate`."""
    place = modules / "evaluate_modules" / "metrics" / folder / digest
    place.mkdir(parents=True)
    script = place / f"{folder.rpartition('--')[2]}.py"
    script.write_text(text)
    os.utime(script, (1_000_000 - age, 1_000_000 - age))
    return script


def test_folder_contains_script_of_same_name(tmp_path: Path) -> None:
    (tmp_path / "polite").mkdir()
    script = tmp_path / "polite" / "polite.py"
    script.write_text("")

    assert local(tmp_path / "polite") == Script(script)
    assert local(script) == Script(script)
    assert local(tmp_path / "rude") is None


def test_folder_without_its_script_lists_other_scripts(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("")

    with pytest.raises(
        ParameterError, match=r"module: expected the script test_folder_without_its_script0\.py in"
    ):
        local(tmp_path)


def test_newest_cached_script_is_used(tmp_path: Path) -> None:
    cache(tmp_path, "evaluate-metric--polite", "0" * 64, "", age=9)
    newer = cache(tmp_path, "evaluate-metric--polite", "1" * 64, "", age=1)
    owned = cache(tmp_path, "somebody--rude", "2" * 64, "")

    assert cached("polite", tmp_path) == Script(newer)
    assert cached("somebody/rude", tmp_path) == Script(owned)
    assert cached("rude", tmp_path) is None
    assert cached_names(tmp_path) == ["polite", "somebody/rude"]


def test_unknown_name_lists_cached_modules(tmp_path: Path) -> None:
    cache(tmp_path, "evaluate-metric--politeness", "0" * 64, "")

    near = not_found("politenes", tmp_path, "the hub cannot be reached")
    far = not_found("x", tmp_path / "nothing")

    assert near.message == (
        "module: expected the folder of a script, a script or the name of a module, got "
        "'politenes'; the cache has politeness; the hub cannot be reached"
    )
    assert near.remedy == "Did you mean 'politeness'?"
    assert far.message.endswith("got 'x'; the cache has none")
    assert far.remedy is not None
    assert far.remedy.startswith("Give the folder of its script")


class TestWhatItImports:
    def test_imported_files_affect_checksum(self, tmp_path: Path) -> None:
        script, beside = tmp_path / "polite.py", tmp_path / "words.py"
        script.write_text("from .words import POLITE\n")
        beside.write_text("POLITE = ['please']\n")
        (tmp_path / "another.py").write_text("")
        before = Script(script).digest

        (tmp_path / "another.py").write_text("# it is not imported")
        unchanged = Script(script).digest
        beside.write_text("POLITE = ['thanks']\n")
        changed = Script(script).digest

        assert before == unchanged != changed
        assert len(before) == 12

    def test_line_ends_do_not_count(self, tmp_path: Path) -> None:
        script = tmp_path / "polite.py"
        script.write_bytes(b"a = 1\r\nb = 2\r\n")
        before = Script(script).digest

        script.write_bytes(b"a = 1\nb = 2\n")

        assert Script(script).digest == before

    def test_guarded_and_standard_imports_are_not_missing(self, tmp_path: Path) -> None:
        script = tmp_path / "polite.py"
        script.write_text(
            "from __future__ import annotations\n"
            "import json, numpy\n"
            "try:\n"
            "    import no_such_thing\n"
            "except ImportError:\n"
            "    pass\n"
        )

        assert Script(script).missing == ()

    def test_files_that_import_each_other_are_read_once(self, tmp_path: Path) -> None:
        script = tmp_path / "polite.py"
        script.write_text("from . import words\n")
        (tmp_path / "words").mkdir()
        (tmp_path / "words" / "__init__.py").write_text("from .polite import x\nimport no_such\n")

        found = Script(script)

        assert found.missing == ("no_such",)
        assert found.missing_files == ()

    def test_install_command_has_distribution_names(self, tmp_path: Path) -> None:
        script = tmp_path / "polite.py"
        script.write_text(
            "import sklearn.metrics\n"
            "import comet  # From: unbabel-comet\n"
            "from trees.oak import Oak  # From: git+https://example.org/trees.git noqa: F401\n"
        )

        command = Script(script).installing(("sklearn", "comet", "trees", "other"))

        assert command.endswith(
            " scikit-learn unbabel-comet git+https://example.org/trees.git other"
        )

    def test_invalid_code_has_no_imports(self, tmp_path: Path) -> None:
        script = tmp_path / "polite.py"
        script.write_text("import (\n")

        assert Script(script).missing == ()
