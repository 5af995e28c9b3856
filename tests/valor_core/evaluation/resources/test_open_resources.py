from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import valor_core
from valor_core.errors import (
    ForeignStateError,
    ParameterError,
    ResourceError,
    UnknownNameError,
    ValorError,
)
from valor_core.parameters import parameter, parameters
from valor_core.resources import opened
from valor_core.resources.bound import BoundResource, bind_resources
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ResourceKindSpec, ResourceSpec, hookimpl
from valor_core.specs.registry import Registry

ITEMS = [
    Text("q1", response="the cat"),
    Text("q2", response="a dog a day"),
    Text("q3", response="nothing known"),
    Text("q4"),
    Text("q5", response="the a the"),
    Text("q6", response="cat and dog"),
]
BATCHES = [TextBatch.of(ITEMS[start : start + 2]) for start in range(0, 6, 2)]
KNOWN_WORDS = [0.5, 0.5, 0.0, None, 1.0, 0.0]


OTHER = {
    "__init__.py": "",
    "plugin.py": """
from attrs import evolve
from mylab import plugin
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import hookimpl

def renamed(spec):
    return evolve(spec, name=spec.name.replace("mylab", "other"))

@hookimpl
def valor_metrics():
    return [renamed(plugin.valor_metrics()[1])]

@hookimpl
def valor_resources():
    return [evolve(renamed(plugin.valor_resources()[0]), implementation="builtins:repr")]
""",
}

Install = Callable[..., Path]


def events(log: Path) -> dict[str, Counter[str]]:
    """Count how often each process opened, queried and closed a dictionary."""
    found: dict[str, Counter[str]] = {}
    for line in log.read_text().splitlines():
        what, process = line.split()
        found.setdefault(process, Counter())[what] += 1
    return found


def known_words(data: Any, **options: Any) -> valor_core.Report:
    return valor_core.evaluate(data, ["mylab.KnownWords"], items=True, **options)


def test_resource_is_opened_once_and_closed(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"

    report = known_words(BATCHES, resources={"dictionary": {"log": str(log)}})

    assert [row.to_dict()["value"] for row in report.items[0].rows] == KNOWN_WORDS
    assert report["KnownWords"].value == 0.4  # (1/2 + 1/2 + 0 + 1 + 0) / 5
    # 14 words are looked up
    assert list(events(log).values()) == [Counter(open=1, has=14, close=1)]


def test_threads_share_instance(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"

    report = known_words(
        BATCHES,
        engine={"name": "local", "mode": "threads", "workers": 3},
        resources={"dictionary": {"log": str(log)}},
    )

    assert report["KnownWords"].value == 0.4
    assert list(events(log).values()) == [Counter(open=1, has=14, close=1)]


def test_each_process_opens_and_closes_resource(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"

    report = known_words(
        BATCHES,
        engine={"name": "local", "mode": "processes", "workers": 2},
        resources={"dictionary": {"log": str(log)}},
    )

    assert report["KnownWords"].value == 0.4
    found = events(log)
    assert 1 <= len(found) <= 2
    assert all(counts["open"] == counts["close"] == 1 for counts in found.values())
    assert sum(counts["has"] for counts in found.values()) == 14


def test_evaluator_opens_resource_on_demand(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    resources = {"dictionary": {"log": str(log)}}

    with valor_core.Evaluator(["mylab.KnownWords"], resources=resources) as evaluator:
        assert not log.exists()
        evaluator.update(ITEMS[:1])
        evaluator.update(ITEMS[1:])
        assert sum(events(log).values(), Counter())["close"] == 0

    assert list(events(log).values()) == [Counter(open=1, has=14, close=1)]


def test_resource_is_closed_after_error(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    resources = bound("mylab.KnownWords", {"dictionary": {"log": str(log)}})

    with pytest.raises(RuntimeError), opened(resources):
        raise RuntimeError

    assert list(events(log).values()) == [Counter(open=1, close=1)]


def test_report_contains_resource_parameters(mylab: Path) -> None:
    report = known_words(ITEMS, resources={"dictionary": {"words": ["dog"]}})

    assert report.config["dictionary"] == {"words": ["dog"], "log": None, "broken": False}
    assert report["KnownWords"].value == pytest.approx((1 / 4 + 1 / 3) / 5, abs=1e-15)


def test_unused_resource_is_not_opened(mylab: Path, tmp_path: Path) -> None:
    data = [Text("q1", response="a", references="a")]

    with pytest.raises(
        ResourceError, match="dictionary: no chosen metric uses a resource of this name"
    ) as caught:
        valor_core.evaluate(data, ["mylab.ExactMatch"], resources={"dictionary": {}})

    assert caught.value.remedy == (
        "Remove it, or choose a metric that uses it, such as mylab.KnownWords."
    )


def test_unknown_section_lists_requested_resources(mylab: Path) -> None:
    with pytest.raises(
        ResourceError, match="dictionaries: no chosen metric uses a resource of this name"
    ):
        known_words(ITEMS, resources={"dictionaries": {}})

    with pytest.raises(
        ResourceError, match=r"oracle: no chosen .*\nRemove it, or rename it to dictionary\."
    ):
        known_words(ITEMS, resources={"oracle": {}})
    with pytest.raises(ResourceError, match=r"oracle: no chosen .*\nRemove it\."):
        valor_core.evaluate(ITEMS, ["mylab.ExactMatch"], resources={"oracle": {}})


def test_metric_parameters_in_section_suggest_metrics_key(
    mylab: Path,
) -> None:
    with pytest.raises(
        ResourceError, match="known_words: no chosen metric uses a resource of this name"
    ):
        known_words(ITEMS, resources={"known_words": {"ignore_case": True}})


def test_misspelled_parameter_suggests_closest_match(mylab: Path) -> None:
    with pytest.raises(ParameterError, match=r"dictionary\.word: unknown key"):
        known_words(ITEMS, resources={"dictionary": {"word": ["dog"]}})


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_failing_open_stops_run(mode: str, mylab: Path) -> None:
    with pytest.raises(
        ResourceError,
        match=r"cannot be opened, dictionary\.py, line 11: OSError: no such dictionary",
    ):
        known_words(
            BATCHES,
            engine={"name": "local", "mode": mode, "workers": 2},
            resources={"dictionary": {"broken": True}},
        )


def test_failing_open_closes_earlier_resources(mylab: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    (good,) = bound("mylab.KnownWords", {"dictionary": {"log": str(log)}})
    bad = evolve(good, names=("other",), parameters=evolve(good.parameters, broken=True))

    with pytest.raises(ResourceError), opened([good, bad]):
        pass

    assert list(events(log).values()) == [Counter(open=1, close=1)]


def test_undeclared_resource_is_named(mylab: Path) -> None:
    registry = Registry()
    spec = evolve(registry.metric("mylab.KnownWords"), resources=("judge",))

    with pytest.raises(UnknownNameError, match="'judge'"):
        bind_resources([(spec, {})], {}, registry)


def test_two_resources_with_same_name_are_rejected(mylab: Path, install: Install) -> None:
    install("valor-other", "other", OTHER)

    with pytest.raises(
        ResourceError, match="dictionary: expected one resource of this name, the metrics use"
    ):
        valor_core.evaluate(ITEMS, ["mylab.KnownWords", "other.KnownWords"])

    (result,) = valor_core.evaluate(ITEMS[:1], ["other.KnownWords"])
    assert result.error == "all 1 items failed"


def test_resource_without_close_is_supported(mylab: Path) -> None:
    (resource,) = bound("mylab.KnownWords", {})
    plain = evolve(resource, spec=evolve(resource.spec, implementation="builtins:repr"))

    with opened([plain]) as resources:
        assert resources["dictionary"].startswith("DictionaryParameters")


def bound(metric: str, sections: dict[str, Any]) -> tuple[BoundResource, ...]:
    registry = Registry()
    return bind_resources([(registry.metric(metric), {})], sections, registry)


@parameters
class Voice:
    """Parameters of a voice."""

    says: str = parameter(help="What it says.")
    log: Path | None = parameter(default=None, help="File that notes its end.")


class Speaker:
    def __init__(self, parameters: Voice) -> None:
        self.says, self.log = parameters.says, parameters.log

    def close(self) -> None:
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"{self.says}\n")


class Choir:
    def __init__(self, parameters: Any, voice: Any) -> None:
        self.voice = voice


def said(item: Text, parameters: Any, resources: Any) -> float:
    return float(len("".join(one.says for one in resources["choir"].voice)))


CHOIR = ResourceSpec(
    name="song.choir",
    summary="Voices",
    implementation=f"{__name__}:Choir",
    kinds="voice",
    several_kinds=True,
)
VOICE = ResourceKindSpec(
    name="song.low",
    resource="song.choir",
    summary="A low voice",
    parameters=Voice,
    implementation=f"{__name__}:Speaker",
    identity=("says",),
)
SAID = ItemMetricSpec(
    name="song.Said",
    task="text",
    summary="Characters that all voices say",
    implementation=f"{__name__}:said",
    higher_is_better=None,
    range=Range(0),
    resources=("choir",),
)


class Song:
    @staticmethod
    @hookimpl
    def valor_metrics() -> list[MetricSpec]:
        return [SAID]

    @staticmethod
    @hookimpl
    def valor_resources() -> list[ResourceSpec]:
        return [CHOIR]

    @staticmethod
    @hookimpl
    def valor_resource_kinds() -> list[ResourceKindSpec]:
        return [VOICE]


@pytest.fixture
def song() -> Registry:
    registry = Registry()
    registry.register("song", Song)
    return registry


def sung(song: Registry, voice: Any) -> valor_core.Evaluator:
    chosen = {"choir": {"voice": voice}}
    return valor_core.Evaluator(["song.Said"], resources=chosen, registry=song)


@pytest.mark.parametrize(
    ("voice", "characters"),
    [
        ({"name": "low", "says": "la"}, 2.0),
        ([{"name": "low", "says": "la"}], 2.0),
        ([{"name": "low", "says": "la"}, {"name": "song.low", "says": "hum"}], 5.0),
    ],
)
def test_resource_receives_all_kinds(song: Registry, voice: Any, characters: float) -> None:
    with sung(song, voice) as evaluator:
        evaluator.update([Text("q1")])

        assert evaluator.compute()["Said"].value == characters


def test_every_kind_is_closed(song: Registry, tmp_path: Path) -> None:
    log = tmp_path / "log"
    voices = [{"name": "low", "says": said, "log": str(log)} for said in ("la", "hum")]

    with sung(song, voices) as evaluator:
        evaluator.update([Text("q1")])

    assert sorted(log.read_text(encoding="utf-8").split()) == ["hum", "la"]


def test_resume_requires_same_kinds(song: Registry, tmp_path: Path) -> None:
    la, hum = (
        {"name": "low", "says": "la"},
        {"name": "low", "says": "hum", "log": str(tmp_path / "log")},
    )
    state = tmp_path / "state.npz"
    with sung(song, [la, hum]) as evaluator:
        evaluator.update([Text("q1")])
        evaluator.save(state)

    again = valor_core.Evaluator.load(state, song)

    assert again.compute()["Said"].value == 5.0
    described = again.evaluation.describe()["choir"]["voice"]
    assert [one["says"] for one in described] == ["la", "hum"]
    sung(song, [la, {**hum, "log": None}]).resume(state)
    with pytest.raises(
        ForeignStateError,
        match=r"made by another request, choir\.kind is \[\{'name': 'song\.low', 'says':",
    ):
        sung(song, [la]).resume(state)


@pytest.mark.parametrize(
    ("voice", "message"),
    [
        ([], "expected a name or a table with a name, or a list of these, got []"),
        ([{"says": "la"}], "choir.voice[0]: expected a name or a table with a name, or a list of"),
        (
            [{"name": "low", "says": "la"}, 3],
            "expected a name or a table with a name, or a list of these, got 3",
        ),
        ([{"name": "high"}], "choir.voice[0]: resource kind 'high': unknown to song.choir"),
        ([{"name": "low"}], "choir.voice[0].says: expected a string, found none"),
    ],
)
def test_invalid_kind_error_has_list_index(song: Registry, voice: Any, message: str) -> None:
    with pytest.raises(ValorError, match=re.escape(message)):
        sung(song, voice)


def test_resource_of_one_kind_rejects_list(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = evolve(CHOIR, several_kinds=False)
    monkeypatch.setattr(Song, "valor_resources", staticmethod(hookimpl(lambda: [alone])))
    registry = Registry()
    registry.register("song", Song)

    with pytest.raises(
        ResourceError, match=r"choir\.voice: expected a name or a table with a name, got \[3\]"
    ):
        sung(registry, [3])


class Handed:
    """A voice that is handed over."""

    def __init__(self, says: str) -> None:
        self.says = says
        self.closed = 0

    def identity(self) -> dict[str, Any]:
        return {"says": self.says}

    def close(self) -> None:
        self.closed += 1


def test_provided_client_is_used_and_not_closed(song: Registry) -> None:
    voice = Handed("hello")
    for number in range(2):
        with sung(song, voice) as evaluator:
            evaluator.update([Text(f"q{number}")])
            report = evaluator.compute()
        assert report["Said"].value == 5.0
    assert voice.closed == 0
    given = {"given": f"{__name__}.Handed", "says": "hello"}
    assert report.config["choir"] == {"voice": given}


def test_resume_compares_identity_of_client(song: Registry, tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    with sung(song, Handed("la")) as evaluator:
        evaluator.update([Text("q1")])
        evaluator.save(state)

    sung(song, Handed("la")).resume(state)
    with pytest.raises(
        ForeignStateError,
        match=r"made by another request, choir\.kind\.says is 'la' there and 'hum' here",
    ):
        sung(song, Handed("hum")).resume(state)
    with pytest.raises(
        ResourceError, match=r"choir\.voice: expected a name or a table with a name, or a list of"
    ):
        valor_core.Evaluator.load(state, song)


def test_identity_of_client_is_checked(song: Registry) -> None:
    voice = Handed("la")
    voice.identity = lambda: ["la"]  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(
        ResourceError, match=r"identity: facts must be a table of numbers and texts, got \['la'\]"
    ):
        sung(song, voice).evaluation.describe()


def test_identifying_file_is_compared_by_content(tmp_path: Path) -> None:
    @parameters
    class Reading:
        words: Path = parameter(help="File of words.")

    spec = ResourceSpec(
        name="mylab.reader", summary="", parameters=Reading, implementation="mylab:Reader"
    )
    file = tmp_path / "words.txt"
    file.write_text("one")
    resource = BoundResource(spec, Reading(words=Path("words.txt")), folder=tmp_path)
    before = resource.identity()
    same = resource.identity()
    file.write_text("two")

    assert before == same
    assert resource.identity() != before
    file.unlink()
    assert resource.identity()["words"] == ["words.txt", None]
