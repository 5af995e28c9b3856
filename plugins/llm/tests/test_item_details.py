"""Details of judged metrics: repeats, panels, failures, stops and merges."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from valor_llm.clients.protocol import FatalError, Reply, Request, TransientError
from valor_report.comparison import compare
from valor_report.text import aligned_text

from valor_core import Evaluator, Registry, Report, evaluate
from valor_core.errors import ResourceError
from valor_core.results import Failed
from valor_core.schemas.text import Text, TextBatch

ITEMS = [Text(f"q{n}", response=f"claim {n}.", contexts=["context"]) for n in range(6)]

Says = Callable[[str, int], str]
"""The verdict on a claim in a repeat, ``"yes"``, ``"no"``, or any other word."""


class Client:
    """Answers the steps of Faithfulness: a claim for each response, and what `says` says of it."""

    is_remote: ClassVar[bool] = False
    endpoint = "here"

    def __init__(self, says: Says, model: str = "m", calls: float = float("inf")) -> None:
        self.says, self.model, self.left = says, model, calls

    def identity(self) -> dict[str, Any]:
        return {"model": self.model}

    def complete(self, request: Request) -> Reply:
        if not self.left:
            raise FatalError("here: the key has run out")
        self.left -= 1
        assert request.seed is not None
        if request.step == "claims":
            text: dict[str, Any] = {"claims": [request.data["response"]]}
        else:
            word = self.says(request.data["claims"][0], request.seed)
            if word == "busy":
                raise TransientError("here: busy")
            text = {"verdicts": [{"id": 1, "analysis": "-", "verdict": word}]}
        return Reply(text=json.dumps(text), model=self.model)


def judged(*clients: Client, data: Any = ITEMS, **options: Any) -> Report:
    section = options.pop("judge", {}) | {"client": list(clients), "http_retries": 0}
    return evaluate(data, "llm.Faithfulness", resources={"judge": section}, **options)


def details(report: Report) -> dict[str, Any]:
    return dict(report["Faithfulness"].only.details)


def odd_is_true(claim: str, seed: int) -> str:
    return "yes" if int(claim.split()[1].strip(".")) % 2 else "no"


def flips(claim: str, seed: int) -> str:
    """The claims 4 and 5 are true in every other repeat."""
    return odd_is_true(claim, seed) if claim < "claim 4" else "yes" if seed % 2 else "no"


def third_fails(claim: str, seed: int) -> str:
    return "perhaps" if claim == "claim 3." else odd_is_true(claim, seed)


def test_mean_has_interval_and_counts_of_states() -> None:
    items = [*ITEMS, Text("q8", contexts=["context"])]

    report = judged(Client(third_fails), data=items)

    # 0, 1, 0, failed, 0, 1 and no response: 2 of 5; with the failed one 2 of 6 or 3 of 6
    assert report["Faithfulness"].value == 0.4
    reported = details(report)["judged_items"]
    interval = reported.pop("interval")
    # Wilson of 2 in 5, as R's binom.confint(2, 5, methods = "wilson") prints it
    assert interval == pytest.approx([0.1176208, 0.7692757], abs=1e-6)
    assert reported == {
        "method": "Wilson",
        "level": "95 %",
        "scored": 5,
        "undefined": 1,
        "failed": 1,
        "not_run": 0,
        "bounds": [2 / 6, 3 / 6],
    }
    assert set(details(report)) == {"judged_items"}


def test_absent_outcomes_are_not_reported() -> None:
    reported = details(judged(Client(odd_is_true)))

    assert set(reported) == {"judged_items"}
    assert "bounds" not in reported["judged_items"]


def test_a_failed_item_keeps_what_was_answered_before_it_failed() -> None:
    report = judged(Client(third_fails), items=True)

    row = report.items[0].rows[3]
    assert [step["step"] for step in row.details["steps"]] == ["claims"]


def test_repeats_have_separate_seeds_and_their_mean_is_the_score() -> None:
    report = judged(Client(flips), judge={"repeats": 4}, items=True)

    values = [row.value for row in report.items[0].rows]
    assert values == [0.0, 1.0, 0.0, 1.0, 0.5, 0.5]
    scorings = report.items[0].rows[4].details["scorings"]
    assert [(one["repeat"], one["value"]) for one in scorings] == [(1, 0), (2, 1), (3, 0), (4, 1)]
    assert scorings[1]["verdicts"] == [{"text": "claim 4.", "verdict": "yes", "analysis": "-"}]
    steps = report.items[0].rows[4].details["steps"]
    assert [(one["step"], one["repeat"]) for one in steps[:3]] == [
        ("claims", 1),
        ("claims_supported", 1),
        ("claims", 2),
    ]


def test_report_has_spread_and_flips_and_counts_an_item_once() -> None:
    reported = details(judged(Client(flips), judge={"repeats": 4}))

    # Two items of 0, 1, 0, 1: deviation sqrt(4 · 0.25 / 3); four without any
    assert reported["repeats"]["spread"] == pytest.approx(2 * (1 / 3) ** 0.5 / 6)
    # Of each, 4 of 6 pairs differ: 8 of 36
    assert reported["repeats"]["flip_rate"] == 8 / 36
    assert reported["repeats"]["repeats"] == 4
    assert reported["judged_items"]["scored"] == 6
    # 0, 1, 0, 1, 0.5, 0.5: mean 0.5, variance 4 · 0.25 / 5, error sqrt(0.2 / 6), t 2.570582
    half = 2.570582 * (0.2 / 6) ** 0.5
    assert reported["judged_items"]["interval"] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-6)


def test_a_repeat_without_a_reply_that_fits_leaves_the_others() -> None:
    def fails_once(claim: str, seed: int) -> str:
        return "perhaps" if seed == 1 else odd_is_true(claim, seed)

    report = judged(Client(fails_once), judge={"repeats": 3}, items=True)

    row = report.items[0].rows[1]
    assert row.value == 1.0
    assert "perhaps" in row.details["scorings"][1]["error"]
    assert "value" not in row.details["scorings"][1]
    assert details(report)["repeats"]["failed_scorings"] == 6
    assert details(report)["judged_items"]["failed"] == 0


def test_an_item_fails_where_all_its_repeats_fail_and_may_pass_where_one_may() -> None:
    def fails(claim: str, seed: int) -> str:
        return "busy" if seed == 1 else "perhaps"

    report = judged(Client(fails), judge={"repeats": 2, "reply_retries": 0}, items=True)

    value = report.items[0].rows[0].value
    assert value.retry
    assert details(report)["judged_items"]["failed"] == 6


class Remote(Client):
    """One whose replies are kept in the cache."""

    is_remote: ClassVar[bool] = True


@pytest.mark.parametrize(("models", "repeats"), [(["a"], 3), (["a", "b"], 1)])
def test_a_scoring_that_may_pass_is_made_up_for_by_a_resumed_run_and_no_other_is_paid_again(
    models: list[str], repeats: int, tmp_path: Path
) -> None:
    fails = {"a": 1 if repeats > 1 else -1, "b": 0}

    def run(place: str, is_busy: bool) -> tuple[Report, float]:
        def says(model: str) -> Says:
            def said(claim: str, seed: int) -> str:
                is_hit = claim == "claim 1." and seed == fails[model]
                return "busy" if is_busy and is_hit else odd_is_true(claim, seed)

            return said

        clients = [Remote(says(model), model, calls=1000) for model in models]
        judge = {"repeats": repeats, "cache_file": str(tmp_path / f"{place}.sqlite")}
        state = tmp_path / f"{place}.npz"
        report = judged(*clients, judge=judge, state=state, items=True)
        return report, sum(1000 - client.left for client in clients)

    whole, _ = run("whole", is_busy=False)
    first, _ = run("busy", is_busy=True)
    second, calls = run("busy", is_busy=False)

    (failed,) = [row for row in first.items[0].rows if isinstance(row.value, Failed)]
    assert (failed.uid, failed.value.retry) == ("q1", True)
    assert "here: busy" in failed.value.reason
    assert second.to_dict()["results"] == whole.to_dict()["results"]
    assert second.items == whole.items
    assert calls == 1


def contrary(claim: str, seed: int) -> str:
    return "no" if odd_is_true(claim, seed) == "yes" else "yes"


def test_a_panel_scores_together_and_says_how_far_it_agrees() -> None:
    a, b, c = Client(odd_is_true, "a"), Client(contrary, "b"), Client(third_fails, "c")

    report = judged(a, b, c, judge={"combine": "majority"}, items=True)

    # a: 0 1 0 1 0 1; b: 1 0 1 0 1 0; c: 0 1 0 - 0 1; together 0 1 0 tie 0 1
    assert [row.value for row in report.items[0].rows] == [0.0, 1.0, 0.0, 0.5, 0.0, 1.0]
    reported = details(report)
    assert {one["judge"]: one["mean"] for one in reported["panel_judges"]} == {
        "a": 0.5,
        "b": 0.5,
        "c": 0.4,
    }
    assert [one["failed"] for one in reported["panel_judges"]] == [0, 0, 1]
    # without b: a and c agree where both are: 3 of 6; without a: ties and b's 0; without c: ties
    assert [one["mean_without"] for one in reported["panel_judges"]] == [2.5 / 6, 0.5, 0.5]
    kappas = {one["judges"]: one["weighted_kappa"] for one in reported["panel_pairs"]}
    assert (kappas["a and b"], kappas["a and c"]) == (-1.0, 1.0)
    assert reported["judged_items"]["failed"] == 0
    assert report.facts["judge"]["model"] == ["a", "b", "c"]


def test_a_judge_that_scores_nothing_is_a_warning_with_the_reason() -> None:
    broken = Client(lambda claim, seed: "perhaps", "b")

    report = judged(Client(odd_is_true, "a"), broken)

    assert report["Faithfulness"].value == 0.5
    assert report.ok
    (warning,) = report.warnings
    assert warning.startswith("llm.Faithfulness: the judge 'b' scored no item, the others' scores")
    assert "perhaps" in warning


def test_a_panel_of_one_is_no_panel() -> None:
    alone, listed = (
        judged(Client(odd_is_true)),
        judged(Client(odd_is_true), judge={"combine": "median"}),
    )

    assert details(alone) == details(listed)
    assert "panel" not in details(listed)


def test_a_panel_with_repeats_takes_the_mean_of_each_judges_repeats() -> None:
    report = judged(Client(flips, "a"), Client(odd_is_true, "b"), judge={"repeats": 2}, items=True)

    # claim 5: a says no, yes: 0.5; b yes, yes: 1
    assert report.items[0].rows[5].value == 0.75
    # a flips in both of its repeats of two items; 2 judges, 6 items, a pair each
    assert details(report)["repeats"]["flip_rate"] == 2 / 12


def test_the_same_judge_twice_is_an_error_with_its_remedy() -> None:
    with pytest.raises(
        ResourceError, match=r"judge\.client: expected different judges, found m at here 2 times"
    ):
        judged(Client(odd_is_true), Client(odd_is_true))


def test_resumed_run_reports_the_same_as_an_uninterrupted_one(tmp_path: Path) -> None:
    judge, state = {"repeats": 2}, tmp_path / "state.npz"
    whole = judged(Client(flips), judge=judge)

    first = judged(Client(flips, calls=11), judge=judge, state=state)
    second = judged(Client(flips), judge=judge, state=state)

    assert not first.ok
    assert details(first)["judged_items"]["not_run"] > 0
    assert second.to_dict()["results"] == whole.to_dict()["results"]


def test_merged_parts_report_the_same_as_one_run(tmp_path: Path) -> None:
    def part(items: list[Text]) -> Evaluator:
        clients = [Client(flips, "a"), Client(third_fails, "b")]
        resources = {"judge": {"client": clients, "repeats": 2}}
        evaluator = Evaluator("llm.Faithfulness", resources=resources)
        evaluator.update(items)
        return evaluator

    whole, left, right = part(ITEMS), part(ITEMS[4:]), part(ITEMS[:4])
    left.save(tmp_path / "left.npz")
    right.resume(tmp_path / "left.npz")

    assert right.compute().to_dict()["results"] == whole.compute().to_dict()["results"]
    for evaluator in (whole, left, right):
        evaluator.close()


def test_several_workers_report_the_same() -> None:
    batches = [TextBatch.of(ITEMS[start : start + 2]) for start in (0, 2, 4)]
    judge = {"judge": {"client": "lexical", "repeats": 2}}

    one, two = (
        evaluate(batches, "llm.Faithfulness", resources=judge, engine=engine)
        for engine in (None, {"mode": "processes", "workers": 2})
    )

    assert one.to_dict()["results"] == two.to_dict()["results"]
    assert details(one)["repeats"]["repeats"] == 2


def test_a_report_with_all_of_it_is_read_again_and_compared(tmp_path: Path) -> None:
    before = judged(Client(flips, "a"), Client(third_fails, "b"), judge={"repeats": 2})
    after = judged(*(Client(lambda claim, seed: "yes", name) for name in "ab"))
    before.save(tmp_path / "before.json")

    again = Report.load(tmp_path / "before.json")

    assert again.to_json() == before.to_json()
    assert aligned_text(again) == aligned_text(before)
    found = compare(again, after, registry=Registry())
    assert [(one.entry.result.type, one.verdict) for one in found.changes] == [
        ("Faithfulness", "better")
    ]


def test_slices_have_separate_intervals() -> None:
    items = [
        Text(f"q{n}", response=f"claim {n}.", contexts=["c"], metadata={"half": n // 3})
        for n in range(6)
    ]
    report = judged(Client(odd_is_true), data=items, slices=["half"])

    assert [part[0].details["judged_items"]["scored"] for part in report.slices] == [3, 3]


def test_the_table_reads_aloud() -> None:
    shown = aligned_text(judged(Client(third_fails)))

    assert (
        "Judged items\nmethod Wilson; level 95 %; undefined 0; not run 0\n\n"
        "metric         value          interval  scored  failed            bounds\n"
    ) in shown
    assert ("Faithfulness  0.4000  0.1176 to 0.7693       5       1  0.3333 to 0.5000\n") in shown
