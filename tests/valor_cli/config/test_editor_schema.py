from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from valor_cli.config.editor.json_schema import json_schema

from valor_core import Registry
from valor_core.specs import ResourceKindSpec, ResourceSpec, hookimpl

PLUGINS = Path(__file__).parents[2] / "plugins"
RANKING: dict[str, Any] = {
    "task": "retrieval",
    "data": {"reader": "table", "path": "a"},
    "metrics": [{"name": "HitRate", "first": 3}],
}


class Song:
    """Plugin with a resource that accepts several kinds."""

    @staticmethod
    @hookimpl
    def valor_resources() -> list[ResourceSpec]:
        return [
            ResourceSpec(
                name="song.choir",
                summary="",
                implementation="m:f",
                kinds="voice",
                several_kinds=True,
            )
        ]

    @staticmethod
    @hookimpl
    def valor_resource_kinds() -> list[ResourceKindSpec]:
        return [
            ResourceKindSpec(
                name="song.low", resource="song.choir", summary="", implementation="m:f"
            )
        ]


@pytest.fixture(scope="class")
def validator(install_for_class: Callable[..., Path]) -> jsonschema.Draft202012Validator:
    for name in ("lab", "artlab", "ranklab"):
        install_for_class(f"valor-{name}", name, PLUGINS / name)
    schema = json_schema(Registry())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class TestJsonSchema:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"metrics": "lab.LongShare"},
            {"metrics": ["LongShare", {"name": "lab.LongShares", "thresholds": [1, 2]}]},
            {"metrics": [{"name": "lab.LongShare@2", "threshold": 3}]},
            {"slices": ["a", ["b", "c"]], "items": "rows.jsonl", "require": {"LongShare": "> 0"}},
            {"engine": {"name": "local", "workers": 2}, "output": ["a.json", "b.md"]},
            {"gallery": {"name": "artlab.Wall", "folder": "worst", "most": 3, "refused": "no"}},
            {"gallery": None},
            {"engine": {"workers": 2}},
            {**RANKING, "engine": "local"},
            {**RANKING, "judge": {"client": "echo"}},
            {"$schema": "valor.schema.json", "metrics_to_return": ["lab.LongShare"]},
            {"data": {"reader": "${env:READER}"}, "metrics": ["${env:METRIC:-LongShare}"]},
            {"judge": {"client": {"name": "ranklab.echo"}, "budget": 3, "model": "large"}},
            {"judge": {"one": {"client": "echo"}, "other": {"model": "large"}}},
            {"engine": "local"},
            {"engine": None},
            {"modules": ["mine.py"], "metrics": [{"name": "mine.Exact", "ignore_case": True}]},
            {"modules": ["mine.py"], "metrics": {"name": "mine.Exact@1"}},
            {"modules": ["mine.py"], "task": "mine", "data": {"reader": "mine"}, "own": {"a": 3}},
            {"extends": "base.yaml", "data": {"path": "b"}, "metrics": ["Exact"]},
        ],
    )
    def test_valid_config_matches_schema(
        self, validator: jsonschema.Draft202012Validator, changes: dict[str, Any]
    ) -> None:
        config = {"data": {"reader": "Parts", "path": "a"}, "metrics": ["lab.LongShare"]}

        validator.validate(config | changes)

    @pytest.mark.parametrize(
        "changes",
        [
            {"metrics": [{"name": "lab.LongShare", "treshold": 3}]},
            {"metrics": [{"name": "lab.LongShare", "threshold": -3}]},
            {"metrics": [{"name": "lab.Nothing"}]},
            {"data": {"reader": "lab.Parts"}},
            {"data": {"path": "a"}},
            {"slices": [3]},
            {"gallery": {"name": "artlab.Wall"}},
            {"gallery": {"name": "artlab.Wall", "folder": "worst", "refuse": "no"}},
            {"unknown": 3},
            {"engine": {"name": "local", "wokers": 2}},
            {"engine": {"name": "nowhere"}},
            {"judge": {"client": {"name": "ranklab.echo", "model": "small"}}},
            {"judge": {"bugdet": 3}},
            {"judge": {"client": ["echo"]}},
            {"engine": "lokal"},
            {"engine": {"name": "local", "wrokers": 2}},
            {"engine": {"name": "lokal"}},
            {"metrics": [{"ignore_case": True}]},
            {"metrics": ["Nothing"]},
            {"metrics": ["mine.Exact"]},
            {"task": "retrieval"},
            {"task": "texts"},
            {"metrics": ["HitRate"]},
            {"modules": ["mine.py"], "metrics": [{"name": "lab.LongShare", "treshold": 3}]},
            {"modules": ["mine.py"], "own": 3},
        ],
    )
    def test_invalid_config_does_not_match_schema(
        self, validator: jsonschema.Draft202012Validator, changes: dict[str, Any]
    ) -> None:
        config = {"data": {"reader": "lab.Parts", "path": "a"}, "metrics": ["lab.LongShare"]}

        with pytest.raises(jsonschema.ValidationError):
            validator.validate(config | changes)

    @pytest.mark.parametrize(
        ("voice", "is_valid"),
        [
            ("song.low", True),
            ({"name": "low"}, True),
            (["low", {"name": "song.low"}], True),
            ([], False),
            ([3], False),
            ([{"name": "low", "loud": 3}], False),
        ],
    )
    def test_resource_accepts_list_of_kinds(self, voice: Any, is_valid: bool) -> None:
        registry = Registry()
        registry.register("song", Song)
        validator = jsonschema.Draft202012Validator(json_schema(registry))
        config = RANKING | {"task": "song", "metrics": ["song.Pitch"], "modules": "a.py"}

        assert validator.is_valid(config | {"choir": {"voice": voice}}) is is_valid

    @pytest.mark.parametrize("missing", ["data", "metrics"])
    def test_missing_key_does_not_match_schema(
        self, validator: jsonschema.Draft202012Validator, missing: str
    ) -> None:
        (error,) = validator.iter_errors({k: v for k, v in RANKING.items() if k != missing})

        assert error.message == f"'{missing}' is a required property"

    def test_schema_describes_metrics_for_editors(
        self, validator: jsonschema.Draft202012Validator
    ) -> None:
        parameters = validator.schema["$defs"]["when.lab.LongShare"]["then"]

        assert parameters["description"] == "Share of responses of a least length"
