import numpy as np
import pytest
from valor_text.counting.corpus import CorpusSums

from valor_core import Evaluator, Text, evaluate

METRICS = [{"name": "text.CorpusBLEU", "definition": "sacrebleu"}, "text.CorpusTER", "text.WER"]
TEXTS = [
    Text(f"q{i}", response="the cat sat " * (i % 3 + 1), references=["a cat sat", f"the cat {i}"])
    for i in range(12)
]


def test_rows_are_the_counts_of_each_item() -> None:
    text = Text("q1", response="the cat sat down", references="the cat sat")

    (table,) = evaluate([text], ["text.WER"], items=True).items

    assert table.rows[0].to_dict() == {
        "uid": "q1",
        "value": {"hits": 3.0, "substitutions": 0.0, "deletions": 0.0, "insertions": 1.0},
        "details": {
            "truth": "the cat sat",
            "prediction": "the cat sat down",
            "wrong": "1 insertion",
        },
    }


def test_rows_are_equal_for_any_split_and_after_saving(tmp_path) -> None:
    expected = evaluate(TEXTS, METRICS, items=True)
    parts = []
    for number, part in enumerate((TEXTS[7:], TEXTS[:7])):
        evaluator = Evaluator(METRICS, items=True)
        evaluator.update(part)
        evaluator.save(tmp_path / f"{number}.npz")
        parts.append(tmp_path / f"{number}.npz")

    merged, other = (Evaluator.load(path, items=True) for path in parts)
    merged.merge(other)
    found = merged.compute()

    assert [one.to_dict() for one in found.items] == [one.to_dict() for one in expected.items]
    assert list(found) == list(expected)


def test_state_saved_without_rows_adds_no_rows(tmp_path) -> None:
    first = Evaluator(METRICS)
    first.update(TEXTS[:7])
    first.save(tmp_path / "first.npz")

    again = Evaluator(METRICS, items=True)
    again.resume(tmp_path / "first.npz")
    again.update(TEXTS[7:])
    found = again.compute()

    assert found.items == ()
    assert list(found) == list(evaluate(TEXTS, METRICS))


def test_items_without_references_have_no_row() -> None:
    texts = [*TEXTS[:2], Text("none", response="a")]

    for table in evaluate(texts, METRICS, items=True).items:
        assert [row.uid for row in table.rows] == ["q0", "q1"]


@pytest.mark.parametrize("name", ["WER", "CorpusBLEU", "CorpusChrF", "CorpusTER", "CorpusGLEU"])
def test_weighted_sums_give_the_intervals_of_merged_states(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = np.random.default_rng(0).choice(["a", "b"], (40, 2, 6))
    texts = [
        Text(i, response=" ".join(one), references=" ".join(other))
        for i, (one, other) in enumerate(words)
    ]
    texts.append(Text(40, references="a"))

    def intervals() -> object:
        report = evaluate(texts, [f"text.{name}"], confidence={"groups": 10, "resamples": 20})
        return report.results[0].details["confidence"]

    weighted = intervals()
    monkeypatch.setattr(CorpusSums, "adds_fields", False)

    assert weighted["interval"] is not None
    assert weighted == intervals()
