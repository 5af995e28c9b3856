from __future__ import annotations

import pytest
from messages import refused
from registries import without

from valor_core import Registry
from valor_core.errors import MissingPluginError, UnknownNameError


class TestLookUp:
    @pytest.mark.parametrize("namespace", ["segmentation", "detection"])
    def test_a_plugin_of_ours_that_is_missing_is_answered_with_the_pip_lines(
        self, monkeypatch: pytest.MonkeyPatch, namespace: str
    ) -> None:
        registry = without(monkeypatch, namespace)

        with refused(MissingPluginError):
            registry.metric(f"{namespace.title()}.AP")

    def test_a_task_of_ours_that_is_missing_is_answered_with_the_pip_lines(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with refused(MissingPluginError):
            without(monkeypatch, "detection").metric("AP", task="detection")

    def test_the_manifest_of_a_missing_plugin_is_answered_with_the_pip_lines(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:

        with refused(MissingPluginError):
            without(monkeypatch, "detection").manifest("detection")


def test_where_no_metrics_are_installed_a_bare_name_is_answered_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = without(monkeypatch, *Registry().namespaces)

    with refused(UnknownNameError):
        registry.metric("F1")


def test_version_behind_a_bare_name_suggests_the_full_name() -> None:
    with pytest.raises(UnknownNameError, match="unknown in the task") as caught:
        Registry().metric("F1@2", "classification")

    assert caught.value.remedy == "Write the version after the full name: classification.F1@2"
    assert Registry().metric("classification.F1@2").short_name == "F1"
