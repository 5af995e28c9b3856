from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from messages import refused
from registries import manifest, package, without

from valor_core import Registry, Report, Text, evaluate, metric, packages
from valor_core.errors import (
    AmbiguousNameError,
    BrokenPluginError,
    ManifestError,
    MissingExtraError,
    PluginConflictError,
    RegistryError,
    UnknownNameError,
    VersionPinError,
)
from valor_core.packages import OWNERS, ways
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ReaderSpec, ResourceSpec, hookimpl
from valor_core.specs.lookup import meaning_of

Install = Callable[..., Path]

HOOKS = "from valor_core.specs import hookimpl\n@hookimpl\ndef "


@pytest.fixture
def birds(install: Install) -> Path:
    return install("birdlab", "birds", package("birds"))


@pytest.fixture
def broken(install: Install) -> Path:
    sources = package("broken") | {"plugin.py": "import no_such_package_here\n"}
    return install("brokenlab", "broken", sources)


class TestLookUp:
    def test_registry_finds_plugin_installed_later(
        self, monkeypatch: pytest.MonkeyPatch, install: Install, tmp_path: Path
    ) -> None:
        site = tmp_path / "site-birdlab"
        site.mkdir()
        os.utime(site, ns=(10**18, 10**18))  # its clock may tick coarsely
        monkeypatch.syspath_prepend(site)
        path, registry = [*sys.path], Registry()
        assert "birds" not in registry.namespaces
        install("birdlab", "birds", package("birds"))
        monkeypatch.setattr(sys, "path", path)

        assert registry.metric("birds.Accuracy").version == 2

    def test_third_party_plugin_is_found_by_namespace(self, birds: Path) -> None:
        spec = Registry().metric("birds.Accuracy")

        assert spec.identity == "birds.Accuracy@2"
        assert spec.load().__name__ == "Metric"

    @pytest.mark.parametrize(
        "name",
        ["birds.accuracy", "BIRDS.ACCURACY", "birds.hit_rate", "birds.HitRate", "birds.hit-rate"],
    )
    def test_case_underscores_and_hyphens_are_ignored_and_aliases_match(
        self, birds: Path, name: str
    ) -> None:
        assert Registry().metric(name).name == "birds.Accuracy"

    def test_bare_name_is_found_in_task_namespace(self, birds: Path) -> None:
        assert Registry().metric("accuracy", task="birds").name == "birds.Accuracy"

    def test_installing_a_plugin_does_not_change_bare_names(
        self, birds: Path, install: Install
    ) -> None:
        before = Registry().metric("Accuracy", task="birds")
        install("animallab", "animals", package("animals"))

        after = Registry().metric("Accuracy", task="birds")

        assert after == before

    def test_bare_name_without_task_suggests_full_names(
        self, birds: Path, install: Install
    ) -> None:
        install("animallab", "animals", package("animals", "spec('animals.HitRate')"))

        with refused(AmbiguousNameError):
            Registry().metric("HitRate")

    def test_bare_name_of_the_only_plugin_that_has_it_is_found(
        self, birds: Path, install: Install
    ) -> None:
        install("animallab", "animals", package("animals", "spec('animals.Speed', task='birds')"))

        assert Registry().metric("Speed", task="birds").name == "animals.Speed"

    def test_bare_name_of_several_plugins_lists_all_of_them(
        self, birds: Path, install: Install
    ) -> None:
        for name in ("animals", "cats"):
            install(f"{name}lab", name, package(name, f"spec('{name}.Speed', task='birds')"))

        with refused(AmbiguousNameError):
            Registry().metric("Speed", task="birds")

    def test_alias_of_the_tasks_plugin_hides_name_of_another_plugin(
        self, birds: Path, install: Install
    ) -> None:
        alias = "spec('eggs.Size', parameter_aliases=(ParameterAlias('big', {'min': 3}),))"
        sources = package("eggs", alias)
        sources["plugin.py"] = (
            "from valor_core.specs import ParameterAlias\n" + sources["plugin.py"]
        )
        install("egglab", "eggs", sources)
        install("animallab", "animals", package("animals", "spec('animals.Big', task='eggs')"))

        assert str(meaning_of("Big", Registry(), "eggs")) == "{name: eggs.Size, min: 3}"

    def test_bare_name_of_other_task_names_that_task(self, birds: Path, install: Install) -> None:
        install("animallab", "animals", package("animals", "spec('animals.Speed')"))

        with refused(UnknownNameError):
            Registry().metric("Speed", task="birds")
        with refused(UnknownNameError):
            Registry().metric("Spede", task="birds")

    def test_bare_name_for_task_without_plugin_is_found(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        registry = without(monkeypatch, "text", "segmentation")
        registry.add(spec_of("mylab.ExactMatch"))
        registry.add(spec_of("mylab.Overlap", task="segmentation"))

        for name, task in (("ExactMatch", "text"), ("Overlap", "segmentation")):
            assert registry.metric(name, task).name == f"mylab.{name}"

    def test_misspelled_name_suggests_closest_match(self, birds: Path) -> None:
        with refused(UnknownNameError):
            Registry().metric("birds.Acuracy")

    def test_misspelled_bare_name_suggests_closest_match(self, birds: Path) -> None:
        with refused(UnknownNameError):
            Registry().metric("Acuracy", task="birds")

    def test_unknown_name_suggests_list_command(self, birds: Path) -> None:
        with refused(UnknownNameError):
            Registry().metric("birds.Zzz")

    def test_misspelled_namespace_suggests_closest_match(self, birds: Path) -> None:
        with refused(UnknownNameError):
            Registry().metric("brids.Accuracy")

    def test_unknown_task_suggests_closest_match(self, birds: Path) -> None:
        with refused(UnknownNameError):
            Registry().metric("Accuracy", task="bids")

    def test_similar_namespaces_need_exact_name(self, install: Install) -> None:
        install("onelab", "my_lab", package("my_lab"))
        install("twolab", "mylab2", package("mylab2"))
        install("threelab", "mylab_2", package("mylab_2"))
        registry = Registry()

        assert registry.metric("mylab_2.Accuracy").name == "mylab_2.Accuracy"
        assert registry.metric("MyLab.Accuracy").name == "my_lab.Accuracy"
        with refused(AmbiguousNameError):
            registry.metric("MyLab2.Accuracy")

    def test_installed_version_pin_is_accepted(self, birds: Path) -> None:
        assert Registry().metric("birds.Accuracy@2").version == 2

    def test_other_version_pin_is_rejected(self, birds: Path) -> None:
        with refused(VersionPinError):
            Registry().metric("birds.Accuracy@1")

    def test_every_own_namespace_is_installed_from_a_folder(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(packages, "PUBLISHED", False)
        clone = Path(__file__).parents[3]

        folders = [ways(owner).rpartition(" -e ")[2] for owner in OWNERS.values()]

        assert str(clone / "plugins/llm") in folders
        assert all((Path(folder) / "pyproject.toml").is_file() for folder in folders)

    def test_lookup_errors_are_not_key_errors(self) -> None:
        assert issubclass(UnknownNameError, LookupError)
        assert not issubclass(UnknownNameError, KeyError)


class TestReadersAndResources:
    SOURCES = package("birds") | {
        "plugin.py": manifest("birds", "spec('birds.Accuracy')")
        + "@hookimpl\ndef valor_readers():\n    return [ReaderSpec(name='birds.Nests',"
        " summary='', implementation='birds.code:Metric', task='birds')]\n"
        "@hookimpl\ndef valor_resources():\n    return [ResourceSpec(name='birds.Judge',"
        " summary='', implementation='birds.code:Metric', aliases=('referee',))]\n"
    }

    def test_readers_and_resources_are_found_by_name(self, install: Install) -> None:
        install("birdlab", "birds", self.SOURCES)
        registry = Registry()

        assert registry.find(ReaderSpec, "birds.nests").name == "birds.Nests"
        assert registry.find(ReaderSpec, "nests", task="birds").name == "birds.Nests"
        assert registry.find(ResourceSpec, "referee", task="birds").name == "birds.Judge"
        assert "birds.Nests" in [spec.name for spec in registry.all(ReaderSpec)]
        assert "birds.Judge" in [spec.name for spec in registry.all(ResourceSpec)]

    @pytest.mark.parametrize("task", [None, "birds"])
    def test_bare_reader_of_the_only_plugin_that_has_it_is_found(
        self, install: Install, task: str | None
    ) -> None:
        install("birdlab", "birds", self.SOURCES)

        assert Registry().find(ReaderSpec, "nests", task).name == "birds.Nests"

    def test_unknown_reader_error_names_the_kind(self, install: Install) -> None:
        install("birdlab", "birds", self.SOURCES)

        with refused(UnknownNameError):
            Registry().find(ReaderSpec, "birds.Nest")


class TestBrokenPlugins:
    def test_broken_plugin_does_not_hide_others(self, birds: Path, broken: Path) -> None:
        registry = Registry()

        names = [spec.name for spec in registry.all(MetricSpec)]

        assert "birds.Accuracy" in names
        assert not any(name.startswith("broken.") for name in names)

    def test_broken_plugin_error_has_cause(self, broken: Path) -> None:
        with pytest.raises(
            BrokenPluginError, match=r"imported, (plugin|code)\.py, line 1: ModuleNotFoundError"
        ) as caught:
            Registry().metric("broken.Accuracy")

        assert isinstance(caught.value.__cause__, ModuleNotFoundError)

    def test_broken_plugin_does_not_affect_other_namespaces(
        self, birds: Path, broken: Path
    ) -> None:
        registry = Registry()

        assert registry.metric("birds.Accuracy").name == "birds.Accuracy"
        with pytest.raises(UnknownNameError):
            registry.metric("Zzz", task="birds")

    def test_failures_lists_broken_namespaces(self, birds: Path, broken: Path) -> None:
        failures = Registry().failures()

        assert list(failures) == ["broken"]
        assert isinstance(failures["broken"], BrokenPluginError)

    def test_failure_is_cached(self, broken: Path) -> None:
        registry = Registry()
        with pytest.raises(BrokenPluginError) as first:
            registry.manifest("broken")

        with pytest.raises(BrokenPluginError) as second:
            registry.manifest("broken")

        assert second.value is first.value

    def test_manifest_that_exits_is_broken_plugin(self, install: Install) -> None:
        install("exitlab", "leaver", {"__init__.py": "", "plugin.py": "raise SystemExit(3)\n"})

        with pytest.raises(BrokenPluginError, match=r"imported, plugin\.py, line 1: SystemExit: 3"):
            Registry().manifest("leaver")

    def test_manifest_with_failing_hook_is_broken_plugin(self, install: Install) -> None:
        install("raiselab", "raiser", package("raiser", "1 / 0"))

        with pytest.raises(
            BrokenPluginError, match=r"its manifest fails, plugin\.py, line 11: ZeroDivisionError"
        ):
            Registry().manifest("raiser")

    @pytest.mark.parametrize(
        ("field", "remedy"),
        [
            ("per_item=True", "Declare metrics of items by: valor_core.scoring.ItemMetricSpec(…)"),
            ("many=True", "valor_core.scoring.ItemMetricSpec(batched=…)"),
            ("tells='m:f'", "valor_core.scoring.ItemMetricSpec(summarize=…)"),
            ("reads=()", "Write: requires=…"),
            ("known_as=()", "Write: parameter_aliases=…"),
            ("sought_as=()", "Write: related_names=…"),
            ("takes_names='m'", "Write: name_parameter=…"),
        ],
    )
    def test_manifest_with_field_of_earlier_api_gets_the_new_field(
        self, install: Install, field: str, remedy: str
    ) -> None:
        install("oldlab", "older", package("older", f"spec('older.Accuracy', {field})"))

        with pytest.raises(BrokenPluginError) as caught:
            Registry().manifest("older")
        assert remedy in str(caught.value.remedy)

    def test_code_with_failing_import_is_broken_plugin(self, install: Install) -> None:
        install("codelab", "coder", package("coder", code="raise ValueError('half written')"))

        with pytest.raises(BrokenPluginError, match=r"coder\.code:Metric cannot be imported"):
            Registry().metric("coder.Accuracy").load()

    def test_missing_object_in_code_is_broken_plugin(self, install: Install) -> None:
        install("codelab", "coder", package("coder", code=""))

        with pytest.raises(BrokenPluginError, match="cannot be imported, AttributeError"):
            Registry().metric("coder.Accuracy").load()


class TestMissingExtras:
    def test_valor_error_during_import_is_unchanged(self, install: Install) -> None:
        code = "from valor_core.errors import MissingExtraError\nraise MissingExtraError('why')\n"
        install("extralab", "extras", package("extras", code=code))

        with pytest.raises(MissingExtraError, match="why"):
            Registry().metric("extras.Accuracy").load()

    def test_missing_package_suggests_extra(self, install: Install) -> None:
        specs = "spec('extras.Accuracy', extra='raster')"
        install("extralab", "extras", package("extras", specs, code="import no_such_raster"))

        with refused(MissingExtraError):
            Registry().metric("extras.Accuracy").load()

    def test_missing_package_without_extra_is_broken_plugin(self, install: Install) -> None:
        install("extralab", "extras", package("extras", code="import no_such_raster"))

        with pytest.raises(
            BrokenPluginError, match=r"imported, (plugin|code)\.py, line 1: ModuleNotFoundError"
        ):
            Registry().metric("extras.Accuracy").load()

    def test_missing_own_module_is_not_missing_extra(self, install: Install) -> None:
        specs = "spec('extras.Accuracy', extra='raster', implementation='extras.none:Metric')"
        install("extralab", "extras", package("extras", specs))

        with pytest.raises(BrokenPluginError, match="cannot be imported, ModuleNotFoundError"):
            Registry().metric("extras.Accuracy").load()


class TestPluginInstalledLater:
    @pytest.fixture
    def terns(self, birds: Path) -> Callable[[], None]:
        """Install a second plugin without invalidating import caches."""

        def install() -> None:
            for name, text in package("terns").items():
                (birds / "terns").mkdir(exist_ok=True)
                (birds / "terns" / name).write_text(text)
            facts = birds / "ternlab-1.dist-info"
            facts.mkdir()
            (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ternlab\nVersion: 1\n")
            (facts / "entry_points.txt").write_text("[valor.plugins]\nterns = terns.plugin\n")
            importlib.invalidate_caches()

        return install

    def test_name_is_found(self, terns: Callable[[], None]) -> None:
        registry = Registry()
        terns()

        assert registry.metric("terns.Accuracy").name == "terns.Accuracy"

    def test_task_is_found(self, terns: Callable[[], None]) -> None:
        registry = Registry()
        terns()

        assert registry.metric("Accuracy", task="terns").name == "terns.Accuracy"

    def test_plugin_is_listed(self, terns: Callable[[], None]) -> None:
        registry = Registry()
        terns()

        assert "terns" in registry.namespaces
        assert "terns" in registry.claims
        assert "terns.Accuracy" in [spec.name for spec in registry.all(MetricSpec)]

    def test_second_claim_before_import_is_a_conflict(self, birds: Path) -> None:
        registry = Registry()
        facts = birds / "rivals-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: rivals\nVersion: 1\n")
        (facts / "entry_points.txt").write_text("[valor.plugins]\nbirds = rivals.plugin\n")
        importlib.invalidate_caches()

        with pytest.raises(PluginConflictError, match="namespace 'birds': expected one plugin"):
            registry.metric("birds.Accuracy")


class TestConflicts:
    @pytest.fixture(autouse=True)
    def two_claimants(self, install: Install) -> None:
        install("first-lab", "shared", package("shared"), version="1.0")
        other = {f"other/{k}": v for k, v in package("shared").items()}
        install("second-lab", "shared", other, manifest="shared.plugin", version="2.0")

    def test_conflict_names_both_distributions(self) -> None:
        with pytest.raises(PluginConflictError, match="namespace 'shared': expected one plugin"):
            Registry().metric("shared.Accuracy")

    @pytest.mark.parametrize("name", ["second-lab", "Second_Lab"])
    def test_choice_resolves_conflict(self, name: str) -> None:
        manifest = Registry({"shared": name}).manifest("shared")

        assert (manifest.distribution, manifest.version) == ("second-lab", "2.0")

    def test_choice_of_other_distribution_does_not_resolve_conflict(self) -> None:
        with pytest.raises(PluginConflictError, match="namespace 'shared': expected one plugin"):
            Registry({"shared": "third-lab"}).manifest("shared")

    def test_conflict_does_not_hide_others(self) -> None:
        registry = Registry()

        assert list(registry.failures()) == ["shared"]
        assert [claim.distribution for claim in registry.claims["shared"]] == [
            "second-lab",
            "first-lab",
        ]


class TestManifests:
    def expect_refusal(self, match: str, install: Install, plugin: str) -> None:
        install("oddlab", "odd", {"__init__.py": "", "plugin.py": plugin})
        with pytest.raises(ManifestError, match=re.escape(match)):
            Registry().manifest("odd")

    def test_name_outside_namespace_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "plugin 'odd' (oddlab 1.0)", install, manifest("odd", "spec('detection.AP')")
        )

    def test_manifest_may_state_its_api(self, install: Install) -> None:
        sources = package("mylab")
        install("valor-mylab", "mylab", sources | {"plugin.py": f"api = 3\n{sources['plugin.py']}"})

        assert Registry().metric("mylab.Accuracy").version == 2

    @pytest.mark.parametrize(
        ("api", "message"),
        [
            ("4", "it is written for api 4 of valor-core"),
            ("'1'", "must be a positive whole number, got '1'"),
            ("0", "api must be a positive whole number, got 0"),
        ],
    )
    def test_unsupported_api_is_rejected(self, install: Install, api: str, message: str) -> None:
        sources = package("mylab")
        install(
            "valor-mylab", "mylab", sources | {"plugin.py": f"api = {api}\n{sources['plugin.py']}"}
        )

        with pytest.raises(RegistryError, match=re.escape(message)):
            Registry().metric("mylab.Accuracy")

    def test_hook_with_wrong_signature_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "but can not be found in the hookspec",
            install,
            HOOKS + "valor_metrics(registry): return ()\n",
        )

    def test_misspelled_hook_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "They are: valor_metrics, valor_readers", install, HOOKS + "valor_metric(): return ()\n"
        )

    def test_manifest_without_decorated_hooks_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "its manifest declares nothing", install, "def valor_metrics(): return ()\n"
        )

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ("None", "an import string like 'package.kernels:KERNELS', got None"),
            ("'kernels'", "import string like 'package.kernels:KERNELS', got 'kernels'"),
            ("3", "must return an import string like 'package.kernels:KERNELS', got 3"),
        ],
    )
    def test_kernels_must_be_import_string(
        self, install: Install, answer: str, message: str
    ) -> None:
        code = HOOKS + f"valor_kernels(): return {answer}\n"

        self.expect_refusal(message, install, code)

    def test_hook_without_protocols_is_accepted(self, install: Install) -> None:
        install(
            "oddlab",
            "odd",
            {"__init__.py": "", "plugin.py": HOOKS + "valor_protocols(): return ()\n"},
        )

        assert Registry().failures() == {}

    def test_protocol_that_is_no_spec_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "expected a ProtocolSpec, found 'KITTI'",
            install,
            HOOKS + "valor_protocols(): return ['KITTI']\n",
        )

    def test_failed_manifest_does_not_affect_later_ones(
        self, install: Install, birds: Path
    ) -> None:
        misspelt = HOOKS + "valor_metric(): return ()\n"
        install("oddlab", "aaa", {"__init__.py": "", "plugin.py": misspelt})
        registry = Registry()

        assert list(registry.failures()) == ["aaa"]
        assert registry.metric("birds.Accuracy").name == "birds.Accuracy"

    def test_hook_result_of_wrong_type_is_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "expected a MetricSpec, found 'odd.AP'", install, manifest("odd", "'odd.AP'")
        )

    def test_two_metrics_with_one_alias_are_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "odd.AP and odd.Other both have the name 'a_p'",
            install,
            manifest("odd", "spec('odd.AP')", "spec('odd.Other', aliases=('a_p',))"),
        )

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("odd.F1-β", "like 'namespace.Name', got 'odd.F1-\u03b2'"),
            ("Odd-Ns.A", "like 'namespace.Name', got 'Odd-Ns.A'"),
            ("a.b.C", "must look like 'namespace.Name', got 'a.b.C'"),
        ],
    )
    def test_invalid_name_error_names_plugin_and_form(
        self, install: Install, name: str, message: str
    ) -> None:
        self.expect_refusal(message, install, manifest("odd", f"spec({name!r})"))

    @pytest.mark.parametrize(
        ("alias", "message"),
        [
            ("a b!", "'-' that begin with a letter, got 'a b!'"),
            ("", "and '-' that begin with a letter, got ''"),
            ("1st", "'-' that begin with a letter, got '1st'"),
            (3, "'_' and '-' that begin with a letter, got 3"),
        ],
    )
    def test_invalid_alias_is_rejected(self, install: Install, alias: Any, message: str) -> None:
        self.expect_refusal(
            message, install, manifest("odd", f"spec('odd.AP', aliases=({alias!r},))")
        )

    def test_aliases_as_string_are_rejected(self, install: Install) -> None:
        self.expect_refusal(
            "aliases must be a tuple of words, got 'ap'",
            install,
            manifest("odd", "spec('odd.AP', aliases='ap')"),
        )

    def test_parameters_must_be_class_or_import_string(self, install: Install) -> None:
        self.expect_refusal(
            "MetricSpec 'odd.AP': parameters must",
            install,
            manifest("odd", "spec('odd.AP', parameters='Parameters')"),
        )


class TestImports:
    def test_new_registry_imports_no_manifest(self, birds: Path) -> None:
        Registry()

        assert "birds" not in sys.modules

    def test_full_name_imports_one_manifest(self, birds: Path, install: Install) -> None:
        install("animallab", "animals", package("animals"))

        Registry().metric("birds.Accuracy")

        assert "birds.plugin" in sys.modules
        assert "birds.code" not in sys.modules
        assert "animals" not in sys.modules

    def test_bare_name_imports_manifest_of_task(self, birds: Path, install: Install) -> None:
        install("animallab", "animals", package("animals"))

        Registry().metric("Accuracy", task="birds")

        assert "animals" not in sys.modules

    def test_listing_metrics_imports_no_code(self, birds: Path) -> None:
        assert "birds.Accuracy" in [spec.name for spec in Registry().all(MetricSpec)]
        assert "birds.code" not in sys.modules


def spec_of(name: str, cls: type[MetricSpec] = MetricSpec, **more: Any) -> MetricSpec:
    values: dict[str, Any] = {
        "name": name,
        "task": "text",
        "summary": "A metric",
        "implementation": "nowhere:Metric",
        "higher_is_better": True,
        "range": Range(0, 1),
    }
    return cls(**(values | more))


def in_process(*specs: MetricSpec) -> object:
    return SimpleNamespace(valor_metrics=hookimpl(lambda: specs))


class TestInProcess:
    def test_manifest_without_entry_point_can_be_registered(self) -> None:
        registry = Registry()

        registry.register("attic", in_process(spec_of("attic.AP")))

        assert registry.metric("attic.ap").name == "attic.AP"
        assert "attic" in registry.namespaces
        assert "attic" not in Registry().namespaces

    def test_registered_namespace_is_rejected(self, birds: Path) -> None:
        registry = Registry()
        registry.register("attic", in_process(spec_of("attic.AP")))

        for namespace in ("attic", "birds"):
            with pytest.raises(PluginConflictError, match="the namespace is already in use"):
                registry.register(namespace, in_process())

    def test_rejected_manifest_can_be_registered_after_repair(self) -> None:
        registry = Registry()
        with pytest.raises(ManifestError, match=r"plugin 'attic' \(in process 0\)"):
            registry.register("attic", in_process(spec_of("cellar.AP")))

        registry.register("attic", in_process(spec_of("attic.AP")))

        assert registry.metric("attic.AP").name == "attic.AP"

    def test_added_decorated_metric_is_found(self) -> None:
        @metric("attic.Half", task="text")
        def half(item: Any) -> float:
            return 0.5

        registry = Registry()
        registry.add(half)
        registry.add(half)

        assert registry.metric("attic.half") is half
        assert [spec.name for spec in registry.all(MetricSpec)].count("attic.Half") == 1
        assert registry.distribution(half) == ("in process", "0")

    def test_decorated_metric_can_extend_plugin_namespace(self, birds: Path) -> None:
        @metric("birds.Half", task="text")
        def half(item: Any) -> float:
            return 0.5

        registry = Registry()
        registry.add(half)

        assert registry.metric("birds.Half") is half
        assert registry.metric("birds.Accuracy").name == "birds.Accuracy"

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("birds.Accuracy", "birds.Accuracy: the name is already declared"),
            ("birds.HitRate", "birds.HitRate: the name is already declared"),
        ],
    )
    def test_decorated_metric_with_name_of_plugin_metric_is_rejected(
        self, birds: Path, name: str, message: str
    ) -> None:
        spec = metric(name, task="text")(lambda_like)

        with pytest.raises(PluginConflictError, match=re.escape(message)):
            Registry().add(spec)

    def test_second_decorated_metric_with_same_name_is_rejected(self) -> None:
        registry = Registry()
        registry.add(metric("attic.Half", task="text")(lambda_like))

        with pytest.raises(PluginConflictError, match="the name is already declared"):
            registry.add(metric("attic.Half", task="text")(lambda_like))

    def test_adding_own_spec_is_no_conflict(self, birds: Path) -> None:
        registry = Registry()
        registry.register("attic", in_process(spec_of("attic.AP")))

        registry.add(registry.metric("birds.Accuracy"))
        registry.add(registry.metric("attic.AP"))

        assert registry.distribution(registry.metric("birds.Accuracy")) == ("birdlab", "1.0")


def lambda_like(item: Any) -> float:
    return 0.0


def test_registry_errors_have_common_base() -> None:
    for error in (ManifestError, PluginConflictError, UnknownNameError, MissingExtraError):
        assert issubclass(error, RegistryError)


def length(item: Any) -> float:
    return float(len(item.response))


class TestCustomRegistry:
    @pytest.fixture
    def made(self, monkeypatch: pytest.MonkeyPatch) -> Report:
        code = SimpleNamespace(score=lambda item, parameters, resources: length(item))
        monkeypatch.setitem(sys.modules, "module_of_length", code)  # type: ignore[arg-type]
        spec = spec_of(
            "myown.Length",
            ItemMetricSpec,
            implementation="module_of_length:score",
            range=Range(0),
            aliases=("size",),
        )
        registry = Registry()
        registry.register("myown", in_process(spec))
        items = [Text("q", response="abc")]
        return evaluate(items, ["myown.size"], registry=registry)

    @pytest.mark.parametrize("name", ["size", "Size", "myown.size", "size@1"])
    def test_report_resolves_aliases_of_its_registry(self, made: Report, name: str) -> None:
        assert made[name].value == 3.0

    def test_report_equals_saved_report(self, made: Report, tmp_path: Path) -> None:
        made.save(tmp_path / "report.json")

        assert Report.load(tmp_path / "report.json").results == made.results
