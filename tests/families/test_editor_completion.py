"""Names, parameters and errors that editors show for configs, with all families installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jsonschema
import pytest
import yaml
from editors import CONFIGS, LARGEST, POSITIONS, Json, offered
from valor_cli.config.editor.json_schema import json_schema, schema_text
from valor_cli.config.reading.files import parse

from valor_core import Registry
from valor_core.errors import RegistryError
from valor_core.specs import MetricSpec
from valor_core.specs.lookup import meaning_of

EXAMPLES = Path(__file__).parents[2] / "examples"
TASKS = ("classification", "detection", "segmentation", "text", "rgb")


@cache
def schema() -> Json:
    return json_schema(Registry())


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("title", POSITIONS)
def test_editor_offers_names_and_parameters_that_fit(title: str) -> None:
    position = POSITIONS[title]

    assert offered(schema(), position.document, position.path) == position.expected(Registry())


@pytest.mark.parametrize("title", CONFIGS)
def test_editor_shows_one_short_error(title: str) -> None:
    text, problem = CONFIGS[title]

    errors = list(validator().iter_errors(yaml.safe_load(text)))

    assert len(errors) == (problem is not None)
    for error in errors:
        assert error.message.startswith(str(problem))
        assert len(error.message) < 100
        assert len(error.context) <= 3


def test_schema_accepts_all_examples() -> None:
    configs = sorted(EXAMPLES.glob("*/*.yaml"))

    assert len(configs) > 5
    for path in configs:
        validator().validate(parse(path))


def spellings(spec: MetricSpec) -> Iterator[str]:
    """Yield names and aliases of a metric in several spellings, bare and full."""
    yield spec.identity
    for name in (spec.short_name, *spec.aliases, *(one.name for one in spec.parameter_aliases)):
        for spelling in (name, name.upper(), "-".join(name.replace("_", ""))):
            written = spelling.replace("#", "5").replace("%", "50")
            yield written
            if "@" not in written:  # of a full name, a number after @ is the version
                yield f"{spec.namespace}.{written}"


@pytest.mark.parametrize("task", TASKS)
def test_schema_accepts_the_names_that_a_run_accepts(task: str) -> None:
    registry = Registry()
    names = [*{name for spec in registry.all(MetricSpec) for name in spellings(spec)}]
    config = {"task": task, "data": {"reader": "${env:READER}"}, "metrics": names}

    def is_metric(name: str) -> bool:
        try:
            return task in meaning_of(name, registry, task).spec.tasks
        except RegistryError:
            return False

    rejected = {error.instance for error in validator().iter_errors(config)}

    assert rejected == {name for name in names if not is_metric(name)}


def test_schema_is_small() -> None:
    assert len(schema_text(schema()).encode()) <= LARGEST


def test_script_without_npm_says_that_it_checks_nothing() -> None:
    script = Path(__file__).parents[1] / "editors" / "language_server.py"

    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": ""},
    )

    assert (done.returncode, done.stdout) == (
        0,
        "not checked: the YAML language server needs node and npm\n",
    )
