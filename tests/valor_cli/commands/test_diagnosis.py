from __future__ import annotations

import pytest
from valor_cli.commands.diagnosis import foreign_claims, plugin_checks

from valor_core.packages import uninstall
from valor_core.specs import Registry

REINSTALL = f"\nReinstall or remove it: {uninstall('shoutlab')}"


def shoutlab():
    (check,) = (each for each in plugin_checks(Registry()) if each.namespace == "shoutlab")
    return check


@pytest.mark.usefixtures("lab")
def test_working_plugin_has_no_errors():
    check = shoutlab()

    assert check.holds == "2 metrics, 1 reader, 1 resource, 1 gallery"
    assert check.errors == ()


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (
            "shoutlab.lines:Gone",
            "its code shoutlab.lines:Gone cannot be imported, AttributeError: module "
            "'shoutlab.lines' has no attribute 'Gone'",
        ),
        (
            "shoutlab.gone:Reader",
            "its code shoutlab.gone cannot be imported, ModuleNotFoundError: No module named "
            "'shoutlab.gone'",
        ),
        (
            "shoutlab.lines:__name__",
            "expected shoutlab.lines:__name__ to be a class or a function, found 'shoutlab.lines'",
        ),
    ],
)
def test_missing_implementation_is_error(lab, place, error):
    manifest = lab.parent / "site" / "shoutlab" / "plugin.py"
    manifest.write_text(manifest.read_text().replace("shoutlab.lines:LineReader", place))

    assert shoutlab().errors == (f"shoutlab.lines: {error}{REINSTALL}",)


def test_gallery_with_import_error_is_broken(lab):
    (lab.parent / "site" / "shoutlab" / "posters.py").write_text("raise RuntimeError('no paint')")

    assert shoutlab().errors == (
        "shoutlab.Posters: its code shoutlab.posters cannot be imported, RuntimeError: no paint"
        f"{REINSTALL}",
    )


def test_missing_extra_is_not_broken(lab):
    package = lab.parent / "site" / "shoutlab"
    (package / "lines.py").write_text("import surely_not_there")
    manifest = package / "plugin.py"
    text = manifest.read_text()
    manifest.write_text(
        text.replace('"shoutlab.lines:LineReader"', '"shoutlab.lines:LineReader", extra="horn"')
    )

    assert shoutlab().errors == ()


def test_kernels_with_import_error_are_broken(lab):
    with (lab.parent / "site" / "shoutlab" / "plugin.py").open("a") as manifest:
        manifest.write("\n\n@hookimpl\ndef valor_kernels():\n    return 'shoutlab.gone:K'\n")

    assert shoutlab().errors == (
        "shoutlab: its kernels shoutlab.gone:K cannot be imported, ModuleNotFoundError: "
        f"No module named 'shoutlab.gone'{REINSTALL}",
    )


def test_engine_with_import_error_is_broken(lab):
    package = lab.parent / "site" / "shoutlab"
    (package / "horse.py").write_text("raise SystemExit(3)")
    with (package / "plugin.py").open("a") as manifest:
        manifest.write(
            "\n\n@hookimpl\ndef valor_engines():\n    from valor_core.specs import EngineSpec\n\n"
            "    return [EngineSpec(name='shoutlab.horse', summary='',"
            " implementation='shoutlab.horse:Horse')]\n"
        )

    assert shoutlab().errors == (
        "shoutlab.horse: its code shoutlab.horse cannot be imported, SystemExit: 3" + REINSTALL,
    )


def test_parameters_with_import_error_are_broken(lab):
    manifest = lab.parent / "site" / "shoutlab" / "plugin.py"
    text = manifest.read_text()
    manifest.write_text(text.replace("parameters=Lines", "parameters='shoutlab.gone:P'"))

    assert shoutlab().errors == (
        "shoutlab.lines: its parameters shoutlab.gone:P cannot be imported, "
        f"ModuleNotFoundError: No module named 'shoutlab.gone'{REINSTALL}",
    )


NOTHING = {"__init__.py": "", "plugin.py": ""}


def test_foreign_distribution_in_project_namespace_is_named(install):
    install("totally-unrelated", "text", NOTHING)

    assert foreign_claims(Registry()) == [
        "plugin 'text' (totally-unrelated 1.0): expected the namespace of valor-text, found "
        "another distribution\n"
        f"Unless you trust it, remove it: {uninstall('totally-unrelated')}"
    ]


@pytest.mark.parametrize("distribution", ["valor-text", "Valor_Text"])
def test_distribution_of_project_is_not_foreign(install, distribution):
    install(distribution, "text", NOTHING)

    assert foreign_claims(Registry()) == []
