"""Entry points of other distributions: third-party formats, conflicts and broken code."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Report, Result
from valor_core.errors import BrokenPluginError, PluginConflictError
from valor_core.results.report import report_suffixes
from valor_core.specs.extensions import FORMATS, announced, extension, plugin_of

Install = Callable[..., Path]

REPORT = Report(results=[Result(type="F1", value=0.5)])
CODE = """
def names(report):
    return ", ".join(result.type for result in report)

def packed(report):
    return b"\\x00\\xff"

def nothing(report):
    return None
"""


@pytest.fixture
def install_format(install: Install) -> Callable[[str, str, str], Path]:
    """Install a distribution that announces one format."""

    def install_format(distribution: str, suffix: str, function: str) -> Path:
        package = distribution.replace("-", "_")
        line = f"[{FORMATS}]\n{suffix} = {package}.formats:{function}\n"
        sources = {"__init__.py": "", "formats.py": CODE}
        return install(distribution, package, sources, entry_points=line)

    return install_format


def test_third_party_format_writes_text_or_bytes(
    install_format: Callable[..., Path], tmp_path: Path
) -> None:
    install_format("mylab-names", ".names", "names")
    install_format("mylab-packed", ".packed", "packed")

    assert {".json", ".names", ".packed"} <= {*report_suffixes()}
    assert "mylab_names" not in sys.modules
    REPORT.save(tmp_path / "report.names")
    REPORT.save(tmp_path / "report.packed")
    assert (tmp_path / "report.names").read_text(encoding="utf-8") == "F1"
    assert (tmp_path / "report.packed").read_bytes() == b"\x00\xff"


def test_two_distributions_with_one_suffix_are_both_named(
    install_format: Callable[..., Path], tmp_path: Path
) -> None:
    install_format("mylab-names", ".names", "names")
    install_format("yourlab-names", ".names", "names")

    with pytest.raises(PluginConflictError, match="expected one distribution"):
        REPORT.save(tmp_path / "report.names")
    REPORT.save(tmp_path / "report.json")


def test_duplicate_metadata_of_distribution_is_accepted(
    install_format: Callable[..., Path], tmp_path: Path
) -> None:
    site = install_format("mylab-names", ".names", "names")
    again = site / "again"
    again.mkdir()
    (info,) = site.glob("*.dist-info")
    (again / info.name).symlink_to(info)
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(again)

        assert len(announced(FORMATS)[".names"]) == 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("nothing", "mylab-names 1.0: expected text or bytes"),
        ("missing", "cannot be imported, AttributeError"),
    ],
)
def test_broken_format_names_its_distribution(
    function: str, install_format: Callable[..., Path], tmp_path: Path, message: str
) -> None:
    install_format("mylab-names", ".names", function)

    with pytest.raises(BrokenPluginError, match=re.escape(message)):
        REPORT.save(tmp_path / "report.names")


@pytest.mark.parametrize("site", ["lib/python3/dist-packages", ".local/lib/site-packages", "lab"])
def test_library_of_the_system_or_the_user_is_no_plugin(site: str, tmp_path: Path) -> None:
    file = tmp_path / site / "PIL" / "Image.py"
    scope = {"__name__": "PIL.Image", "__file__": str(file)}
    exec(compile("def load(): {}['x']", file, "exec"), scope)

    with pytest.raises(KeyError) as caught:
        scope["load"]()  # type: ignore[operator]

    assert plugin_of(caught.value) == ("Image.py" if site == "lab" else "test_extensions.py")


def test_installed_extension_is_read_without_its_code(
    install_format: Callable[..., Path],
) -> None:
    install_format("mylab-names", ".names", "names")

    found = extension(FORMATS, ".names")

    assert found is not None
    assert found.distribution == "mylab-names 1.0"
    assert "mylab_names" not in sys.modules
