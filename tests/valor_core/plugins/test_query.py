from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from messages import refused

from valor_core import Registry
from valor_core.errors import AmbiguousNameError, UnknownNameError
from valor_core.specs import EngineSpec, MetricSpec, ResourceKindSpec, ResourceSpec
from valor_core.specs.query import NameQuery

Install = Callable[..., Path]

PLUGINS = Path(__file__).parents[2] / "plugins"

KIND = """
from valor_core.specs import ResourceKindSpec, ResourceSpec, hookimpl

@hookimpl
def valor_resource_kinds():
    return [ResourceKindSpec(name="{namespace}.{kind}", resource="{resource}", summary="",
        implementation="nowhere:Client")]
"""


def brings(namespace: str, kind: str, resource: str = "ranklab.judge") -> dict[str, str]:
    text = KIND.format(namespace=namespace, kind=kind, resource=resource)
    return {"__init__.py": "", "plugin.py": text}


@pytest.fixture
def judge(install: Install) -> ResourceSpec:
    install("ranklab", "ranklab", PLUGINS / "ranklab")
    return Registry().find(ResourceSpec, "ranklab.judge")


class TestKindsOfResources:
    def test_kind_is_found_in_namespace_of_resource_first(
        self, judge: ResourceSpec, install: Install
    ) -> None:
        install("aaalab", "aaa", brings("aaa", "echo"))

        assert Registry().resource_kind("echo", judge).name == "ranklab.echo"
        assert Registry().resource_kind("aaa.echo", judge).name == "aaa.echo"

    def test_kind_of_other_plugin_is_found_by_bare_name(
        self, judge: ResourceSpec, install: Install
    ) -> None:
        install("aaalab", "aaa", brings("aaa", "loud_speaker"))

        assert Registry().resource_kind("LoudSpeaker", judge).name == "aaa.loud_speaker"

    def test_ambiguous_kind_names_both_plugins(self, judge: ResourceSpec, install: Install) -> None:
        for namespace in ("aaa", "bbb"):
            install(f"{namespace}lab", namespace, brings(namespace, "tape"))

        with pytest.raises(AmbiguousNameError, match=r"expected one of this name, found aaa\.tape"):
            Registry().resource_kind("tape", judge)

    def test_kind_of_other_resource_is_rejected(
        self, judge: ResourceSpec, install: Install
    ) -> None:
        install("aaalab", "aaa", brings("aaa", "tape", "aaa.reel"))

        with pytest.raises(UnknownNameError, match=r"kind 'tape': unknown to ranklab\.judge"):
            Registry().resource_kind("tape", judge)
        with refused(UnknownNameError):
            Registry().resource_kind("aaa.tape", judge)

    def test_misspelled_kind_suggests_closest_match(self, judge: ResourceSpec) -> None:
        with refused(UnknownNameError):
            Registry().resource_kind("ecko", judge)

    def test_kinds_are_listed(self, judge: ResourceSpec) -> None:
        kinds = [spec for spec in Registry().all(ResourceKindSpec) if spec.resource == judge.name]

        assert [spec.name for spec in kinds] == ["ranklab.echo"]


@pytest.mark.parametrize(
    ("kind", "listing"),
    [
        (MetricSpec, "See what is available with: valor list"),
        (EngineSpec, "See what is available with: valor list --engines"),
        (ResourceKindSpec, "See what is available with: valor list --resource-kinds"),
    ],
)
def test_listing_command_depends_on_kind(
    kind: type[MetricSpec | EngineSpec | ResourceKindSpec], listing: str
) -> None:
    assert NameQuery(kind, "x").listing == listing
