from __future__ import annotations

import pytest
from messages import refused
from registries import without

from valor_core import Registry
from valor_core.errors import MissingPluginError, UnknownNameError


class TestLookUp:
    @pytest.mark.parametrize("namespace", ["segmentation", "detection"])
    def test_missing_plugin_suggests_install_command(
        self, monkeypatch: pytest.MonkeyPatch, namespace: str
    ) -> None:
        registry = without(monkeypatch, namespace)

        with refused(MissingPluginError):
            registry.metric(f"{namespace.title()}.AP")

    def test_missing_task_suggests_install_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with refused(MissingPluginError):
            without(monkeypatch, "detection").metric("AP", task="detection")

    def test_missing_manifest_suggests_install_command(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:

        with refused(MissingPluginError):
            without(monkeypatch, "detection").manifest("detection")


def test_short_name_without_plugins_suggests_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = without(monkeypatch, *Registry().namespaces)

    with refused(UnknownNameError):
        registry.metric("F1")


def test_version_of_short_name_suggests_full_name() -> None:
    with pytest.raises(UnknownNameError, match="unknown in the task") as caught:
        Registry().metric("F1@2", "classification")

    assert caught.value.remedy == "Write the version after the full name: classification.F1@2"
    assert Registry().metric("classification.F1@2").short_name == "F1"
