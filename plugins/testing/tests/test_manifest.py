from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from valor_testing import ConformanceError, check_plugin

Install = Callable[..., Path]

PLUGIN = """
from valor_core.parameters import (NoParameters)
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import (MetricSpec, Range, hookimpl)
{imports}

@hookimpl
def valor_metrics():
    {body}
    return [
        ItemMetricSpec(
            name="heavy.Zero", task="text", summary="Zero", implementation="heavy.zero:score",
            higher_is_better=None, range=Range(0, 0){more},
        )
    ]
"""


def plugin(
    install: Install, imports: str = "", body: str = "pass", more: str = "", **files: str
) -> None:
    sources = {
        "__init__.py": "",
        "plugin.py": PLUGIN.format(imports=imports, body=body, more=more),
        "zero.py": "def score(item, parameters, resources):\n    return 0.0\n",
        "parameters.py": "import numpy\n",
    }
    install("valor-heavy", "heavy", sources | {f"{name}.py": text for name, text in files.items()})


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        ("", "pass"),
        (
            "import attrs, json, numpy.linalg, valor_core.states.sums\nimport heavy.parameters",
            "pass",
        ),
        (
            "from valor_core.evaluation.engines import start_worker; "
            "from valor_core.evaluation.engines.local import LocalEngine",
            "pass",
        ),
    ],
)
def test_manifest_may_import_loaded_packages(imports: str, body: str, install: Install) -> None:
    plugin(install, imports, body)

    check_plugin("heavy")


@pytest.mark.parametrize(
    ("imports", "body", "message"),
    [
        ("import heavy.zero", "pass", "reading it imports heavy.zero"),
        ("", "from heavy import zero", "reading it imports heavy.zero"),
        ("import heavy.words", "pass", "reading it imports heavy.words"),
        ("import iniconfig", "pass", "reading it imports iniconfig"),
    ],
)
def test_manifest_that_imports_code_is_rejected(
    imports: str, body: str, install: Install, message: str
) -> None:
    plugin(install, imports, body, words="")

    with pytest.raises(ConformanceError, match=re.escape(message)):
        check_plugin("heavy")


def test_init_that_imports_code_is_rejected(install: Install) -> None:
    plugin(install, __init__="from heavy.zero import score")

    with pytest.raises(ConformanceError, match="heavy breaks the law 'manifest is light'"):
        check_plugin("heavy")


def test_manifest_that_depends_on_earlier_imports_is_rejected(install: Install) -> None:
    plugin(install, "import sys\nassert 'pytest' in sys.modules, 'no pytest'")

    with pytest.raises(ConformanceError, match="cannot be read in a clean interpreter"):
        check_plugin("heavy")


def test_undeclared_resource_is_rejected(install: Install) -> None:
    plugin(install, more=', resources=("judge",)')

    with pytest.raises(ConformanceError, match="resource 'judge', which is not declared"):
        check_plugin("heavy")


def test_manifest_that_declares_nothing_is_rejected(install: Install) -> None:
    plugin(install, body="return []")

    with pytest.raises(ConformanceError, match="expected metrics, readers, resources"):
        check_plugin("heavy")


def test_manifest_may_import_parameters_of_other_plugin_only(
    install: Install,
) -> None:
    other = {"__init__.py": "", "plugin.py": "", "parameters.py": "", "states.py": ""}
    install("valor-other", "other", other)
    plugin(install, "import other.parameters")

    check_plugin("heavy")


def test_manifest_that_imports_states_of_other_plugin_is_rejected(install: Install) -> None:
    other = {"__init__.py": "", "plugin.py": "", "parameters.py": "", "states.py": ""}
    install("valor-other", "other", other)
    plugin(install, "import other.states")

    with pytest.raises(ConformanceError, match="heavy breaks the law 'manifest is light'"):
        check_plugin("heavy")
