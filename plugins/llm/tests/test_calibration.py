"""Calibration: comparison with labels, its record, and corrected means in reports."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from valor_cli.program.program import program
from valor_llm.calibration.comparison import compared
from valor_llm.calibration.correction import corrected
from valor_llm.calibration.estimates import Share, prediction_powered_mean, rogan_gladen
from valor_llm.calibration.labels import JudgedItem, Label, paired, read_labels
from valor_llm.calibration.record import Calibration, Fingerprint, Pair, Record

from valor_core.errors import ReadError, ResourceError
from valor_core.results import Undefined
from valor_core.specs import Range

FINGERPRINT = Fingerprint(
    "llm.Faithfulness@1",
    {"no_claims": "one"},
    {"seed": 0, "kind": {"name": "llm.openai", "model": "m"}},
    ("m-2026-05-01",),
    {"claims": ("claims@1:aa/bb",), "claims_supported": ("claims_supported@1:cc/dd",)},
)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_labels_are_read_from_csv_and_json_lines(tmp_path: Path) -> None:
    recorded = [
        Label("q1", 1.0, None, None),
        Label("q1", 0.0, 2, "llm.Bias"),
        Label("7", 0.25, None, None),
    ]
    table = (
        "\ufeffuid,verdict,label,metric,note\nq1,,Yes,,sure\nq1,2,no,llm.Bias,\n7,,0.25,,\nq9,,,,\n"
    )
    lines = (
        '{"uid": "q1", "label": true}\n{"uid": "q1", "verdict": 2, "label": "no", '
        '"metric": "llm.Bias"}\n\n{"uid": 7, "label": 0.25}\n{"uid": "q9", "label": null}\n'
    )
    for path in (written(tmp_path / "l.csv", table), written(tmp_path / "l.jsonl", lines)):
        assert [evolve(one, where="") for one in read_labels(path)] == recorded


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("l.csv", "uid,grade\nq1,1\n", "label: expected a column of this name, found none"),
        ("l.jsonl", '{"label": 1}\n', "uid: expected a column of this name, found none"),
        ("l.csv", "uid,label\nq1,maybe\n", "label: expected a number, yes or no, found 'maybe"),
        ("l.csv", "uid,label\nq1,nan\n", "label: expected a number, yes or no, found 'nan"),
        (
            "l.csv",
            "uid,label,verdict\nq1,0.5,1\n",
            "label: expected yes or no of a verdict, found '0.5",
        ),
        ("l.csv", "uid,label,verdict\nq1,1,0\n", "verdict: expected a number from 1, found '0"),
        ("l.csv", "uid,label\nq1,1\nq1,0\n", "expected one label of 'q1', another is at"),
        ("l.jsonl", "[1]\n", "expected a table, found [1]"),
        ("l.jsonl", "{\n", "expected a line of JSON, found"),
    ],
)
def test_a_line_that_is_no_label_is_named(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        read_labels(written(tmp_path / name, text))


def test_all_verdicts_of_an_item_are_its_score_too() -> None:
    items = {
        "a": JudgedItem("a", "A", 0.5, (True, False)),
        "b": JudgedItem("b", "B", 1.0, (True, True)),
        "c": None,
    }
    labels = [
        Label("a", 1.0, 1),
        Label("a", 1.0, 2),
        Label("b", 0.0, 1),  # its other verdict has no label
        Label("c", 1.0),
    ]
    found = paired(labels, items, Range(0, 1))
    assert found.verdicts == [Pair("A", 1, 1), Pair("A", 0, 1), Pair("B", 1, 0)]
    assert found.items == [Pair("A", 0.5, 1.0)]
    assert (found.labelled, found.unscored) == (2, 1)


def test_labels_that_fit_nothing_are_errors() -> None:
    items = {"a": JudgedItem("a", "A", 0.5, (True, False))}
    for label, message in (
        (Label("z", 1.0, where="l.csv:2"), "expected an item of the data, found 'z'"),
        (Label("a", 1.0, 3, where="l.csv:3"), "expected one of 2 of item 'a', found 3"),
        (Label("a", 4.0, where="l.csv:4"), "l.csv:4: label: expected a score of 0 to 1"),
    ):
        with pytest.raises(ReadError, match=message):
            paired([label], items, Range(0, 1))


def answers(both: int, judge: int, human: int, none: int) -> tuple[Pair, ...]:
    """Items by who says yes: both, the judge alone, the human alone, none."""
    recorded = [(1, 1)] * both + [(1, 0)] * judge + [(0, 1)] * human + [(0, 0)] * none
    return tuple(Pair(f"i{place}", *pair) for place, pair in enumerate(recorded))


def test_comparison_with_labels_equals_hand_calculation() -> None:
    # 40 items: both yes 20, judge alone 5, human alone 5, none 10
    (found,) = compared(Calibration(FINGERPRINT, answers(20, 5, 5, 10)))
    values = {name: one.value for name, one in found.numbers.items()}  # type: ignore[union-attr]
    # by chance (25 * 25 + 15 * 15) / 40² = 0.53125; (0.75 - 0.53125) / 0.46875
    assert values["kappa"] == pytest.approx(0.21875 / 0.46875)
    # yes 0.625 of both: 2 * 0.625 * 0.375 = 0.46875; (0.75 - 0.46875) / 0.53125
    assert values["ac1"] == pytest.approx(0.28125 / 0.53125)
    assert values["sensitivity"] == 20 / 25
    assert values["specificity"] == 10 / 15
    assert (values["base_rate"], values["agreement"]) == (25 / 40, 30 / 40)
    # Wilson of 20 of 25, z² = 3.8415: (0.8 + z²/50 ± 1.96 sqrt(0.16/25 + z²/2500)) / (1 + z²/25)
    assert found.numbers["sensitivity"].interval == pytest.approx([0.6087, 0.9114], abs=1e-4)  # type: ignore[union-attr]


def test_what_the_labels_do_not_show_is_undefined() -> None:
    (found,) = compared(Calibration(FINGERPRINT, answers(20, 0, 5, 0)))
    assert found.numbers["specificity"] == Undefined("no label is negative")
    (grades,) = compared(Calibration(FINGERPRINT, (Pair("a", 3, 4), Pair("b", 5, 5))))
    assert (grades.of, grades.count) == ("scores", 2)
    # judge minus human: -1 and 0
    assert grades.numbers["judge_minus_human"].value == -0.5  # type: ignore[union-attr]


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    record = Record(
        (
            Calibration(FINGERPRINT, answers(3, 1, 1, 2), (Pair("i1", 1, 0),)),
            Calibration(evolve(FINGERPRINT, metric="llm.Bias@1"), (Pair("x", 0.25, 0.5),)),
        )
    )
    path = tmp_path / "record.json"
    record.save(path)
    assert Record.load(path) == record
    assert [one.name for one in tmp_path.iterdir()] == ["record.json"]
    of_other_version = record.of("llm.Bias@2", {})
    assert of_other_version is record.calibrations[1]
    assert record.of("llm.Toxicity@1", {}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "expected the record of a calibration, found no file"),
        ("{", "expected the record of a calibration, found no JSON"),
        ("[]", "expected the record of a calibration, found another file"),
        (
            '{"kind": "valor judge calibration", "version": 2}',
            "expected the record of a calibration, found version 2, expected 1",
        ),
        (
            '{"kind": "valor judge calibration", "version": 1, "calibrations": [{}]}',
            "expected the record of a calibration, found KeyError: 'fingerprint",
        ),
    ],
)
def test_a_record_that_cannot_be_read_is_an_error_with_its_remedy(
    tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "r.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ResourceError, match=re.escape(message)):
        Record.load(path)


def test_pairs_of_a_record_that_are_no_numbers_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    Record((Calibration(FINGERPRINT, (Pair("x", 1, 1),)),)).save(path)
    recorded = json.loads(path.read_text())
    recorded["calibrations"][0]["items"][0][1] = "one"
    path.write_text(json.dumps(recorded))
    with pytest.raises(
        ResourceError,
        match="expected the record of a calibration, found TypeError: expected an item",
    ):
        Record.load(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metric": "llm.Faithfulness@2"}, "metric llm.Faithfulness@1 became llm.Faithfulness@2"),
        ({"parameters": {"no_claims": "undefined"}}, "parameters.no_claims one became undefined"),
        (
            {"judge": {"seed": 1, "kind": {"name": "llm.openai", "model": "m"}}},
            "judge.seed 0 became 1",
        ),
        ({"models": ("m-2026-09-09",)}, "model m-2026-05-01 became m-2026-09-09"),
        (
            {"steps": {"claims": ("claims@2:ee/bb",)}},
            "step claims claims@1:aa/bb became claims@2:ee/bb",
        ),
        ({"steps": {"opinions": ("o@1:a/b",)}}, "step opinions none became o@1:a/b"),
    ],
)
def test_fingerprint_differences_are_described(change: dict[str, Any], said: str) -> None:
    assert FINGERPRINT.differences(evolve(FINGERPRINT, **change)) == [said]


def test_a_step_that_no_item_needed_makes_no_other_judge() -> None:
    without = evolve(FINGERPRINT, steps={"claims": ("claims@1:aa/bb",)})
    assert FINGERPRINT.differences(without) == []
    assert FINGERPRINT.differences(FINGERPRINT) == []


def judged(scores: list[float], start: int = 0) -> list[JudgedItem]:
    return [JudgedItem(f"u{n}", f"i{n}", score) for n, score in enumerate(scores, start)]


def test_labelled_items_of_a_run_are_taken_once() -> None:
    pairs = answers(12, 4, 1, 8)  # i0 to i24
    items = [*judged([pair.judge for pair in pairs]), *judged([1.0, 1.0, 0.0, 1.0], 25)]
    powered, gladen = corrected(items, Calibration(FINGERPRINT, pairs))
    expected = prediction_powered_mean(
        [pair.human for pair in pairs], [pair.judge for pair in pairs], [1.0, 1.0, 0.0, 1.0]
    )
    assert powered["mean"] == expected.value
    assert powered["interval"] == [expected.low, expected.high]
    assert (powered["labels"], powered["labels_of"], powered["scores"]) == (25, "these items", 4)
    # 16 + 3 of 29 items are yes; 12 of 13 yes and 8 of 12 no were found
    share = rogan_gladen(Share(19 / 29, 29), Share(12 / 13, 13), Share(8 / 12, 12))
    assert gladen["mean"] == pytest.approx(share.value)  # type: ignore[union-attr]
    assert gladen["interval"] == pytest.approx(share.interval)  # type: ignore[union-attr]


def test_labels_of_other_items_are_taken_as_such() -> None:
    pairs = answers(12, 4, 1, 8)
    scores = [1.0, 1.0, 0.0, 1.0]
    powered, gladen = corrected(judged(scores, 100), Calibration(FINGERPRINT, pairs))
    assert (powered["labels_of"], powered["scores"]) == ("other items", 4)
    expected = prediction_powered_mean(
        [pair.human for pair in pairs], [pair.judge for pair in pairs], scores
    )
    assert powered["mean"] == expected.value
    assert gladen["labels_of"] == "other items"


def test_slice_with_few_labels_has_no_corrected_mean() -> None:
    pairs = answers(12, 4, 1, 8)
    items = judged([pair.judge for pair in pairs[:7]])
    powered, _ = corrected(items, Calibration(FINGERPRINT, pairs))
    assert powered["mean"] is None
    assert powered["why"] == "labels of 7 of these items, at least 20 are needed"


def test_shares_are_corrected_by_verdicts() -> None:
    # 24 items of two verdicts each: of human yes, 33 of 36 are found, of no, 9 of 12
    said = [(True, True)] * 15 + [(True, False)] * 6 + [(False, False)] * 3
    human = [(1, 1)] * 15 + [(1, 0)] * 3 + [(0, 0)] * 3 + [(1, 0)] * 3
    pairs = [
        Pair(f"i{n}", float(one), float(label))
        for n, both in enumerate(zip(said, human, strict=True))
        for one, label in zip(*both, strict=True)
    ]
    items = [JudgedItem(f"u{n}", f"i{n}", sum(own) / 2, own) for n, own in enumerate(said)]
    blank = JudgedItem("none", "none", 1.0)  # scored without a verdict
    _, gladen = corrected([*items, blank], Calibration(FINGERPRINT, (), tuple(pairs)))
    # mean of shares (15 + 3) / 24 = 0.75; (0.75 + 0.75 - 1) / (33/36 + 0.75 - 1)
    assert gladen["mean"] == pytest.approx(0.5 / (33 / 36 - 0.25))
    assert (gladen["labels"], gladen["scores"]) == (48, 24)


def test_grades_are_not_corrected_as_if_they_were_yes_or_no() -> None:
    pairs = tuple(Pair(f"i{n}", 3.0, 4.0) for n in range(25))
    powered, gladen = corrected(judged([3.0] * 30), Calibration(FINGERPRINT, pairs))
    # the judge says 3 of all, humans 4 of those with a label
    assert powered["mean"] == 4.0
    assert gladen["mean"] is None


def valor(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, prog_name="valor")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config of 60 items whose second sentence the contexts support, or not."""
    draw = random.Random(3)
    data, scores, verdicts = [], ["uid,label"], ["uid,verdict,label"]
    for number in range(60):
        good = draw.random() < 0.6
        rest = "It has a bridge." if good else "Nobody swims there at night with lamps."
        town = f"The town {number} lies on a river"
        data.append(
            {
                "uid": f"q{number}",
                "query": "What of it?",
                "response": f"{town}. {rest}",
                "contexts": [f"{town} and it has a bridge."],
                "side": "left" if number % 2 else "right",
            }
        )
        if number < 40:
            scores.append(f"q{number},{1.0 if good else 0.5}")
            verdicts.append(f"q{number},1,{'no' if draw.random() < 0.1 else 'yes'}")
            verdicts.append(f"q{number},2,{'yes' if good != (draw.random() < 0.1) else 'no'}")
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in data))
    (tmp_path / "scores.csv").write_text("\n".join(scores))
    (tmp_path / "verdicts.csv").write_text("\n".join(verdicts))
    (tmp_path / "config.yaml").write_text(
        "task: text\ndata: {reader: jsonl, path: data.jsonl}\n"
        "metrics: [llm.Faithfulness, llm.Bias]\njudge: {client: lexical}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALIBRATE = (
    "judge",
    "calibrate",
    "config.yaml",
    "--metric",
    "llm.Faithfulness",
    "-o",
    "record.json",
)


def test_a_calibrated_judge_corrects_the_mean_of_a_run(folder: Path) -> None:
    said = valor(*CALIBRATE, "--labels", "verdicts.csv")
    assert said.exit_code == 0, said.output
    assert "llm.Faithfulness: 80 verdicts of 40 items" in said.output
    assert "record written to record.json; use it with: judge: {calibration: record.json}" in (
        said.output
    )
    record = Record.load(folder / "record.json")
    (calibration,) = record.calibrations
    assert len(calibration.items) == 40
    assert "town" not in (folder / "record.json").read_text()
    ran = valor("run", "config.yaml", "--set", "judge.calibration=record.json", "--json")
    assert ran.exit_code == 0, ran.output
    results = {one["type"]: one for one in json.loads(ran.stdout)["results"]}
    powered, gladen = results["Faithfulness"]["details"]["calibration"]
    assert (powered["labels"], powered["labels_of"], powered["scores"]) == (40, "these items", 20)
    assert powered["interval"][0] < powered["mean"] < powered["interval"][1]
    # The mean of the judge lies above what humans say of the labelled items.
    assert results["Faithfulness"]["value"] > powered["mean"]
    assert gladen["labels"] == 80
    why = results["Bias"]["details"]["calibration"]
    assert why == {"state": "uncalibrated", "why": "its record has no labels of this metric"}


@pytest.mark.parametrize(
    ("setting", "part"),
    [
        ("judge.seed=1", "judge.seed 0 became 1"),
        ('metrics=[{"name":"llm.Faithfulness","no_claims":"undefined"}]', "no_claims one became"),
        ("judge.repeats=2", "judge.repeats 1 became 2"),
    ],
)
def test_a_run_of_another_judge_is_uncalibrated(folder: Path, setting: str, part: str) -> None:
    assert valor(*CALIBRATE, "--labels", "scores.csv").exit_code == 0
    with_record = ("--set", "judge.calibration=record.json", "--set", setting, "--json")
    report = json.loads(valor("run", "config.yaml", *with_record).stdout)
    (result,) = [one for one in report["results"] if one["type"] == "Faithfulness"]
    assert result["details"]["calibration"]["state"] == "uncalibrated"
    assert part in result["details"]["calibration"]["why"]
    assert any(
        one.startswith("llm.Faithfulness: uncalibrated, ") and "calibrate again with" in one
        for one in report["warnings"]
    )


def test_a_changed_prompt_is_another_judge(folder: Path) -> None:
    assert valor(*CALIBRATE, "--labels", "scores.csv").exit_code == 0
    (folder / "claims.toml").write_text('version = 2\ninstruction = "List what is claimed."\n')
    settings = (
        "--set",
        "judge.calibration=record.json",
        "--set",
        "judge.prompts.claims=claims.toml",
    )
    report = json.loads(valor("run", "config.yaml", *settings, "--json").stdout)
    (result,) = [one for one in report["results"] if one["type"] == "Faithfulness"]
    why = result["details"]["calibration"]["why"]
    assert why.startswith("step claims claims@1:")
    assert "became claims@2:" in why


def test_slice_is_corrected_by_the_labels_of_its_items(folder: Path) -> None:
    assert valor(*CALIBRATE, "--labels", "scores.csv").exit_code == 0
    settings = ("--set", "judge.calibration=record.json", "--set", 'slices=["side"]')
    report = json.loads(valor("run", "config.yaml", *settings, "--json").stdout)
    for one in report["slices"]:
        (result,) = [own for own in one["results"] if own["type"] == "Faithfulness"]
        powered = result["details"]["calibration"][0]
        assert (powered["labels"], powered["scores"]) == (20, 10)


def test_a_saved_state_says_the_same_once_it_is_gone_on_with(folder: Path) -> None:
    assert valor(*CALIBRATE, "--labels", "scores.csv").exit_code == 0
    run = ("run", "config.yaml", "--state", "state.npz", "--json")
    plain = json.loads(valor(*run).stdout)
    again = json.loads(valor(*run, "--set", "judge.calibration=record.json").stdout)
    whole = ("run", "config.yaml", "--json", "--set", "judge.calibration=record.json")
    assert "calibration" not in plain["results"][0]["details"]
    assert again["results"] == json.loads(valor(*whole).stdout)["results"]


def test_only_labelled_items_are_asked_about(folder: Path) -> None:
    said = valor(*CALIBRATE, "--labels", "scores.csv", "--set", "judge.max_calls=80", "--json")
    assert said.exit_code == 0, said.output
    (recorded,) = json.loads(said.stdout)["metrics"]
    assert (recorded["metric"], recorded["without_score"]) == ("llm.Faithfulness", 0)
    assert recorded["compared"][0]["count"] == 40


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        (
            "uid,label\n" + "".join(f"q{n},1\n" for n in range(19)),
            CALIBRATE[3:5],
            "llm.Faithfulness: expected labels of at least 20 items, found 19\n"
            "Label 1 more items, drawn at random from the data.",
        ),
        (
            "uid,label\nq1,1\n",
            (),
            "metrics: expected one that asks a judge, or labels that name theirs, found "
            "llm.Faithfulness, llm.Bias\nName it: --metric llm.Faithfulness",
        ),
        (
            "uid,label,metric\nq1,1,llm.Toxicity\n",
            (),
            "metric: expected a metric that the config has once and that asks a judge, got "
            "llm.Toxicity\nThere are: llm.Faithfulness, llm.Bias.",
        ),
        ("uid,label\nq1,\n", (), "expected labels of a metric, found none"),
    ],
)
def test_labels_that_will_not_do_are_errors(
    folder: Path, labels: str, options: tuple[str, ...], said: str
) -> None:
    (folder / "few.csv").write_text(labels)
    found = valor("judge", "calibrate", "config.yaml", "--labels", "few.csv", *options)
    assert found.exit_code == 2
    assert said in found.output
    assert not (folder / "judge-calibration.json").exists()


def test_labels_of_several_metrics_make_one_record(folder: Path) -> None:
    lines = [
        json.dumps({"uid": f"q{n}", "label": 1 - bias, "metric": name})
        for bias, name in enumerate(("llm.Faithfulness", "llm.Bias"))
        for n in range(25)
    ]
    (folder / "both.jsonl").write_text("\n".join(lines))
    found = valor("judge", "calibrate", "config.yaml", "--labels", "both.jsonl", "-o", "both.json")
    assert found.exit_code == 0, found.output
    names = [one.fingerprint.metric for one in Record.load(Path("both.json")).calibrations]
    assert names == ["llm.Faithfulness@2", "llm.Bias@1"]


def test_the_record_takes_the_place_of_no_input(folder: Path) -> None:
    found = valor(*CALIBRATE[:-1], "scores.csv", "--labels", "scores.csv")
    assert found.exit_code != 0
    assert "-o: expected another file, scores.csv is an input" in found.output
    assert (folder / "scores.csv").read_text().startswith("uid,label")


def test_a_missing_record_is_an_error_before_anything_is_asked(folder: Path) -> None:
    ran = valor("run", "config.yaml", "--set", "judge.calibration=none.json")
    assert ran.exit_code != 0
    assert "expected the record of a calibration, found no file" in ran.output
    assert "Make it with: valor judge calibrate CONFIG --labels FILE -o RECORD" in ran.output
