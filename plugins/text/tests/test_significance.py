"""Paired tests of corpus metrics give the results of sacrebleu."""

import numpy as np
import pytest
from sacrebleu import significance
from sacrebleu.metrics import BLEU, CHRF, TER
from valor_intervals import (
    approximate_randomization,
    compare,
    mean_and_reach,
    paired_bootstrap,
    resampled_numbers,
)

from valor_core import Evaluator, Report, Text, evaluate

METRICS = {
    "BLEU": ({"name": "text.CorpusBLEU", "definition": "sacrebleu"}, BLEU()),
    "chrF2": ({"name": "text.CorpusChrF"}, CHRF()),
    "TER": ({"name": "text.CorpusTER"}, TER()),
}
WORDS = np.array(
    [
        "the",
        "cat",
        "sat",
        "on",
        "a",
        "mat",
        "and",
        "then",
        "it",
        "ran",
        "away",
        "home",
        ".",
        ",",
        "quickly",
        "very",
    ]
)


def corpus(seed: int, count: int = 101) -> tuple[list[str], list[str], list[list[str]]]:
    random = np.random.default_rng(seed)
    references = [random.choice(WORDS, random.integers(3, 20)) for _ in range(count)]

    def noisy(share: float) -> list[str]:
        return [
            " ".join(np.where(random.random(len(one)) < share, random.choice(WORDS, len(one)), one))
            for one in references
        ]

    streams = [[" ".join(one) for one in references], noisy(0.1)]
    return noisy(0.3), noisy(0.27), streams


def report(responses: list[str], streams: list[list[str]]) -> Report:
    texts = [
        Text(i, response=response, references=list(references))
        for i, (response, *references) in enumerate(zip(responses, *streams, strict=True))
    ]
    return evaluate(texts, [metric for metric, _ in METRICS.values()], items=True)


def columns_and_formula(reports, position):
    tables = [one.items[position] for one in reports]
    names = list(tables[0].rows.columns())
    choice = {"name": tables[0].metric.partition("@")[0], **tables[0].parameters}
    made = Evaluator([choice]).evaluation.plan.metrics[0].make()
    columns = [
        np.stack([one.values for one in table.rows.columns().values()], axis=1) for table in tables
    ]
    return columns, lambda sums: 100 * made.of_sums(dict(zip(names, sums.T, strict=True)))


class Float64:
    """NumPy without sacrebleu's rounding of counts to float32."""

    def __getattr__(self, name):
        return getattr(np, name)

    def array(self, values, dtype=None):
        return np.array(values, dtype=np.float64 if dtype == "float32" else dtype)


def reference(test, first, second, streams, **options):
    metrics = {name: made for name, (_, made) in METRICS.items()}
    systems = [("first", first), ("second", second)]
    return significance.PairedTest(systems, metrics, streams, test_type=test, **options)()[1]


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize("seed", [1, 2])
def test_approximate_randomization_equals_sacrebleu(seed: int, references: int) -> None:
    first, second, streams = corpus(seed)
    streams = streams[:references]
    expected = reference("ar", first, second, streams, n_samples=1000)
    reports = report(first, streams), report(second, streams)

    for position, name in enumerate(METRICS):
        (ours, theirs), formula = columns_and_formula(reports, position)
        p = approximate_randomization(ours, theirs, formula, trials=1000, strict=True)

        assert p == expected[name][1].p_value, name
        assert formula(theirs.sum(0)[None])[0] == pytest.approx(expected[name][1].score, rel=1e-12)


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize("rounded", [True, False])
def test_paired_bootstrap_equals_sacrebleu(
    references: int, rounded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not rounded:
        monkeypatch.setattr(significance, "np", Float64())
    first, second, streams = corpus(3)
    streams = streams[:references]
    expected = reference("bs", first, second, streams)
    reports = report(first, streams), report(second, streams)

    for position, name in enumerate(METRICS):
        (ours, theirs), formula = columns_and_formula(reports, position)
        found = paired_bootstrap(ours, theirs, formula)

        assert found.p == expected[name][1].p_value, name
        for numbers, result in zip((found.first, found.second), expected[name], strict=True):
            # sacrebleu computes resamples in float32, with a relative error of up to 1e-5.
            error = 1e-5 if rounded else 1e-12
            assert mean_and_reach(numbers) == pytest.approx((result.mean, result.ci), rel=error)


def test_intervals_of_approximate_randomization_equal_sacrebleu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(significance, "np", Float64())
    first, second, streams = corpus(5)
    options = {"n_samples": 500, "n_ar_confidence": 300}
    expected = reference("ar", first, second, streams, **options)
    reports = report(first, streams), report(second, streams)

    for position, name in enumerate(METRICS):
        both, formula = columns_and_formula(reports, position)
        for columns, trials, result in zip(both, (0, 500), expected[name], strict=True):
            numbers = resampled_numbers(columns, formula, resamples=300, trials=trials)

            assert mean_and_reach(numbers) == pytest.approx((result.mean, result.ci), rel=1e-12)


def test_comparison_of_reports_has_the_p_values_of_sacrebleu() -> None:
    first, second, streams = corpus(4)
    reports = report(first, streams), report(second, streams)

    for test, name in (("sacrebleu", "ar"), ("bootstrap", "bs")):
        found = compare(*reports, test=test, correction="none")
        expected = reference(name, first, second, streams)

        assert [one.test.p for one in found.numbers] == [
            one[1].p_value for one in list(expected.values())[1:]
        ]
