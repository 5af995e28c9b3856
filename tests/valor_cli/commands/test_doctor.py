from __future__ import annotations

import json
import platform
from importlib.metadata import version

import pytest

from valor_core.packages import install, uninstall, ways


def test_doctor_lists_installed_packages(lab, valor):
    result = valor("doctor")

    assert result.exit_code == 0
    assert platform.python_version() in result.stdout
    assert "shoutlab        shoutlab" in result.stdout
    assert "2 metrics, 1 reader, 1 resource" in result.stdout
    assert "missing surely-not-there-horn" in result.stdout
    assert install("shoutlab[horn]") in result.stdout


def test_remedy_installs_extra_from_clone(lab, valor):
    site = lab.parent / "site"
    facts = site / "valor_detection-9.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: valor-detection\nVersion: 9\nProvides-Extra: plot\n"
        "Requires-Dist: surely-not-there-plot; extra == 'plot'\n"
    )
    (facts / "entry_points.txt").write_text("[valor.plugins]\nshoutlab = shoutlab.plugin\n")
    (site / "shoutlab-1.2.dist-info" / "entry_points.txt").unlink()

    result = valor("doctor")

    assert f"surely-not-there-plot  {ways('valor-detection[plot]')}\n" in result.stdout
    assert "install valor-detection" not in result.stdout


def test_broken_plugin_exits_with_1(lab, valor):
    (lab.parent / "site" / "shoutlab" / "plugin.py").write_text("1 / 0")

    result = valor("doctor")

    assert result.exit_code == 1
    assert "not usable" in result.stdout
    assert "ZeroDivisionError: division by zero" in result.stderr


@pytest.mark.parametrize("trouble", ["raise RuntimeError('no voice')", "raise SystemExit('no')"])
def test_import_error_exits_with_1(lab, valor, trouble):
    (lab.parent / "site" / "shoutlab" / "loudness.py").write_text(trouble)

    result = valor("doctor")

    name = "RuntimeError: no voice" if "Runtime" in trouble else "SystemExit: no"
    assert result.exit_code == 1
    assert "2 metrics, 1 reader, 1 resource, 1 gallery, not all usable" in result.stdout
    assert result.stderr == (
        "not usable: shoutlab.Loudness (and 2 more): its code shoutlab.loudness cannot be "
        f"imported, {name}\nReinstall or remove it: {uninstall('shoutlab')}\n"
    )


def test_output_of_imported_code_goes_to_standard_error(lab, valor):
    with (lab.parent / "site" / "shoutlab" / "loudness.py").open("a") as code:
        code.write("\nprint('HELLO')\n")

    result = valor("doctor", "--json")

    assert json.loads(result.stdout)["ok"] is True
    assert result.stderr == "HELLO\n"


def test_two_plugins_of_one_namespace_are_reported(lab, valor):
    facts = lab.parent / "site" / "rival-3.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 3\n")
    (facts / "entry_points.txt").write_text("[valor.plugins]\nshoutlab = rival.plugin\n")

    result = valor("doctor")

    assert result.exit_code == 1
    assert "rival 3 and shoutlab 1.2 claim it" in result.stderr
    assert result.stderr.count("claim it") == 1


def test_kernels_in_use_are_shown_with_reason(lab, valor):
    package = lab.parent / "site" / "shoutlab"
    with (package / "plugin.py").open("a") as manifest:
        manifest.write(
            "\n\n@hookimpl\ndef valor_kernels():\n    return 'shoutlab.kernels:KERNELS'\n"
        )
    (package / "kernels.py").write_text(
        "from valor_core.kernels import load_kernels\n\n"
        "KERNELS = load_kernels('shoutlab._kernels')\n"
    )

    result = valor("doctor", "--json")

    (plugin,) = (p for p in json.loads(result.stdout)["plugins"] if p["namespace"] == "shoutlab")
    assert plugin["kernels"].startswith("NumPy, not built: reinstall shoutlab")


@pytest.mark.parametrize("code", ["", "\n1 / 0\n"])
def test_plugin_that_needs_newer_core_exits_with_1(lab, valor, code):
    facts = lab.parent / "site" / "shoutlab-1.2.dist-info" / "METADATA"
    facts.write_text(facts.read_text().rstrip() + "\nRequires-Dist: valor-core>=9.0\n")
    with (lab.parent / "site" / "shoutlab" / "plugin.py").open("a") as manifest:
        manifest.write(code)

    result = valor("doctor")

    assert result.exit_code == 1
    assert result.stderr.endswith(
        "shoutlab 1.2: needs valor-core>=9.0, installed is "
        f"{version('valor-core')}\nUpgrade it with: {ways('valor-core')}\n"
    )


def test_entry_points_of_earlier_groups_are_reported(valor, install):
    for distribution, group in (("mypool", "valor.engines"), ("typo", "valor.plugin")):
        install(distribution, distribution, {}, entry_points=f"[{group}]\npool = {distribution}:E")

    assert valor("doctor").stderr == (
        "warning: mypool 1.0: its entry point 'pool' is in the group valor.engines, which is not "
        "read\nUpgrade it, or declare it in its manifest with the hook: valor_engines\n"
        "warning: typo 1.0: its entry point 'pool' is in the group valor.plugin, which is not "
        "read\n"
        "Did you mean 'valor.plugins'?\n"
    )


def test_requirement_for_other_python_is_not_missing(lab, valor):
    facts = lab.parent / "site" / "shoutlab-1.2.dist-info" / "METADATA"
    facts.write_text(
        facts.read_text().rstrip()
        + "\nProvides-Extra: old\nProvides-Extra: new\n"
        + "Requires-Dist: surely-not-there; python_version < '3' and extra == 'old'\n"
        + "Requires-Dist: not-there-either>=2; python_version > '3' and extra == 'new'\n"
        + "Requires-Dist: valor-core>=9; python_version < '3'\n"
    )

    record = json.loads(valor("doctor", "--json").stdout)

    missing = {one["name"]: one["missing"] for one in record["extras"]}
    assert (missing["old"], missing["new"]) == ([], ["not-there-either"])


def test_broken_and_conflicting_formats_exit_with_1(lab, valor):
    for number, name in enumerate(("ourlab", "yourlab")):
        facts = lab.parent / "site" / f"{name}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = f"[valor.formats]\n.same = {name}:write\n.own{number} = {name}.absent:write\n"
        (facts / "entry_points.txt").write_text(lines)

    result = valor("doctor")

    assert result.exit_code == 1
    assert "'.same': expected one distribution" in result.stderr
    assert "ourlab.absent:write, its '.own0' in valor.formats, cannot be imported" in result.stderr
