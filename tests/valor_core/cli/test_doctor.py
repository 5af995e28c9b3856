from __future__ import annotations

import json
import platform

from valor_core.installer import install


def test_it_says_what_is_installed(lab, valor):
    result = valor("doctor")

    assert result.exit_code == 0
    assert platform.python_version() in result.stdout
    assert "shoutlab        shoutlab" in result.stdout
    assert "2 metrics, 1 reader, 1 resource" in result.stdout
    assert "missing surely-not-there-horn" in result.stdout
    assert install("shoutlab[horn]") in result.stdout


def test_a_broken_plugin_is_exit_code_1(lab, valor):
    (lab.parent / "site" / "shoutlab" / "plugin.py").write_text("1 / 0")

    result = valor("doctor")

    assert result.exit_code == 1
    assert "not usable" in result.stdout
    assert "ZeroDivisionError: division by zero" in result.stderr


def test_two_plugins_of_one_namespace_are_named(lab, valor):
    facts = lab.parent / "site" / "rival-3.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 3\n")
    (facts / "entry_points.txt").write_text("[valor.plugins]\nshoutlab = rival.plugin\n")

    result = valor("doctor")

    assert result.exit_code == 1
    assert "rival 3 and shoutlab 1.2 claim it" in result.stderr
    assert result.stderr.count("claim it") == 1


def test_an_engine_that_cannot_be_imported_is_exit_code_1(lab, valor):
    facts = lab.parent / "site" / "shoutlab-1.2.dist-info" / "entry_points.txt"
    facts.write_text("[valor.engines]\nhorse = surely_not_there:Engine\n")

    result = valor("doctor", "--json")
    record = json.loads(result.stdout)

    assert result.exit_code == 1
    assert record["ok"] is False
    assert record["engines"][0]["name"] == "horse"
    assert "No module named 'surely_not_there'" in record["engines"][0]["error"]


def test_it_says_which_kernels_run_and_why(lab, valor):
    package = lab.parent / "site" / "shoutlab"
    with (package / "plugin.py").open("a") as manifest:
        manifest.write(
            "\n\n@hookimpl\ndef valor_kernels():\n    return 'shoutlab.kernels:KERNELS'\n"
        )
    (package / "kernels.py").write_text(
        "from valor_core.compiled import kernels\n\n"
        "KERNELS = kernels('shoutlab._kernels', interface=1)\n"
    )

    result = valor("doctor", "--json")

    (plugin,) = (p for p in json.loads(result.stdout)["plugins"] if p["namespace"] == "shoutlab")
    assert plugin["kernels"].startswith("NumPy, not built: reinstall shoutlab")
