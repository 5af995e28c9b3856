"""The four calls of RGBMetrics, with its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen

from valor_core import evaluate
from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.results import ItemRows, Report
from valor_rgb.metrics.outcome_counts import Share
from valor_rgb.samples.sample import RGBSample, noise_of

Rules = Literal["robust", "paper", "heuristic"]


@frozen(kw_only=True)
class EvaluationResult:
    """Counts and rates of one call; rates are fractions.

    Parameters
    ----------
    task_type : str
        The ability, with the noise ratio in percent if there is one.
    model_name : str
        Name of the model.
    total_samples, correct, incorrect, rejected, errors_detected, errors_corrected : int
        The counts; 0 if the ability has no such count.
    accuracy_by_noise : dict of float to float
        Accuracy by noise ratio, if there is one.
    report : Report
        The full report, with intervals and the verdict on each response.
    """

    task_type: str
    model_name: str
    total_samples: int
    correct: int = 0
    incorrect: int = 0
    rejected: int = 0
    errors_detected: int = 0
    errors_corrected: int = 0
    accuracy_by_noise: Mapping[float, float] = field(factory=dict)
    report: Report = field(repr=False, eq=False)

    @property
    def accuracy(self) -> float | None:
        """Share of right responses; None of no samples."""
        return self._share(self.correct)

    @property
    def rejection_rate(self) -> float | None:
        """Share of refusals; None of no samples."""
        return self._share(self.rejected)

    @property
    def error_detection_rate(self) -> float | None:
        """Share of responses that detect the error; None of no samples."""
        return self._share(self.errors_detected)

    @property
    def error_correction_rate(self) -> float | None:
        """Share of responses that correct the error; None of no samples."""
        return self._share(self.errors_corrected)

    @property
    def items(self) -> ItemRows:
        """The verdict on each response, by its position."""
        rows: Any = self.report.items[0].rows
        return rows  # type: ignore[no-any-return]

    def _share(self, count: int) -> float | None:
        return Share(count, self.total_samples).value


def evaluate_noise_robustness(
    responses: Iterable[str],
    ground_truths: Iterable[Any],
    model_name: str,
    noise_ratio: float,
    *,
    rules: Rules = "robust",
    **parameters: Any,
) -> EvaluationResult:
    """Accuracy of responses to prompts of one noise ratio.

    Parameters
    ----------
    responses : iterable of str
        Responses of the model.
    ground_truths : iterable
        The answers: texts, or lists of parts and spellings as in `RGBSample`.
    model_name : str
        Name of the model.
    noise_ratio : float
        Share of irrelevant documents in the prompts, from 0 to 1.
    rules : {"robust", "paper", "heuristic"}
        Rules that judge a response; ``heuristic`` gives the numbers of RGBMetrics.
    **parameters
        Further parameters of `rgb.NoiseRobustness`.

    Returns
    -------
    EvaluationResult
        Counts and the accuracy, a fraction.

    Raises
    ------
    SchemaError
        If the lists differ in length, or hold something else.

    Examples
    --------
    >>> result = evaluate_noise_robustness(["It is Paris.", "Lyon"], ["Paris", "Paris"], "m", 0.4)
    >>> result.task_type, result.correct, result.accuracy
    ('noise_robustness_40%', 1, 0.5)
    """
    ratio = noise_of(noise_ratio)
    if ratio is None:
        raise SchemaError("noise_ratio: expected a number from 0 to 1, got None")
    samples = _samples(
        "noise_robustness", responses, ground_truths=ground_truths, noise_ratio=ratio
    )
    return _result(samples, "noise_robustness", rules, parameters, model_name, ratio)


def evaluate_negative_rejection(
    responses: Iterable[str],
    model_name: str,
    *,
    rules: Rules = "robust",
    **parameters: Any,
) -> EvaluationResult:
    """Rejection rate of responses to prompts whose documents do not have the answer.

    Parameters
    ----------
    responses, model_name, rules, **parameters
        As in `evaluate_noise_robustness`.

    Returns
    -------
    EvaluationResult
        Counts and the rejection rate, a fraction.

    Raises
    ------
    SchemaError
        If a response is no text.

    Examples
    --------
    >>> evaluate_negative_rejection(["I cannot answer.", "It is London."], "m").rejection_rate
    0.5
    """
    samples = _samples("negative_rejection", responses)
    return _result(samples, "negative_rejection", rules, parameters, model_name)


def evaluate_information_integration(
    responses: Iterable[str],
    ground_truths: Iterable[Any],
    model_name: str,
    *,
    rules: Rules = "robust",
    **parameters: Any,
) -> EvaluationResult:
    """Accuracy of responses whose answer is spread over several documents.

    Parameters
    ----------
    responses, ground_truths, model_name, rules, **parameters
        As in `evaluate_noise_robustness`.

    Returns
    -------
    EvaluationResult
        Counts and the accuracy, a fraction.

    Raises
    ------
    SchemaError
        If the lists differ in length, or hold something else.

    Examples
    --------
    >>> evaluate_information_integration(["Ann in 1998"], [["Ann", "1998"]], "m").accuracy
    1.0
    """
    samples = _samples("information_integration", responses, ground_truths=ground_truths)
    return _result(samples, "information_integration", rules, parameters, model_name)


def evaluate_counterfactual_robustness(
    responses: Iterable[str],
    ground_truths: Iterable[Any],
    counterfactual_answers: Iterable[Any],
    model_name: str,
    *,
    rules: Rules = "robust",
    **parameters: Any,
) -> EvaluationResult:
    """Detection and correction of errors by responses to prompts with false documents.

    As in RGBMetrics, `correct` counts the corrected errors.

    Parameters
    ----------
    counterfactual_answers : iterable
        False answer of the documents for each answer: a text, its spellings, or None.
    responses, ground_truths, model_name, rules, **parameters
        As in `evaluate_noise_robustness`.

    Returns
    -------
    EvaluationResult
        Counts and the rates of detection and correction, fractions of all samples.

    Raises
    ------
    SchemaError
        If the lists differ in length, or hold something else.

    Examples
    --------
    >>> said = "The documents say London, but that is incorrect. The capital is Paris."
    >>> result = evaluate_counterfactual_robustness([said], ["Paris"], ["London"], "m")
    >>> result.error_detection_rate, result.error_correction_rate
    (1.0, 1.0)
    """
    samples = _samples(
        "counterfactual_robustness",
        responses,
        ground_truths=ground_truths,
        counterfactual_answers=counterfactual_answers,
    )
    return _result(samples, "counterfactual_robustness", rules, parameters, model_name)


_LISTS = {"ground_truths": "answers", "counterfactual_answers": "false_answer"}
"""Arguments that hold a value for each response, with the fields of the samples."""


def _samples(
    ability: str, responses: Iterable[str], *, noise_ratio: float | None = None, **lists: Any
) -> list[RGBSample]:
    """Make a sample of each response, with its position as uid."""
    texts = _listed(responses, "responses")
    columns = {name: _listed(values, name) for name, values in lists.items()}
    for name, values in columns.items():
        if len(values) != len(texts):
            raise SchemaError(
                f"{name}: expected one for each of {len(texts):,} responses, got {len(values):,}"
            )
    samples = []
    for position, response in enumerate(texts):
        if not isinstance(response, str):
            raise SchemaError(f"responses[{position}]: expected a text, got {short_repr(response)}")
        fields = {_LISTS[name]: values[position] for name, values in columns.items()}
        with error_at(f"item {position}: "):
            sample = RGBSample(position, ability, response, noise_ratio=noise_ratio, **fields)
        if "answers" in fields and not sample.answers:
            raise SchemaError(f"ground_truths[{position}]: expected an answer, got none")
        samples.append(sample)
    return samples


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise SchemaError(f"{name}: expected a list, got {short_repr(values)}")
    return list(values)


def _result(
    samples: Sequence[RGBSample],
    ability: str,
    rules: Rules,
    parameters: Mapping[str, Any],
    model_name: str,
    noise_ratio: float | None = None,
) -> EvaluationResult:
    """Evaluate samples of one ability with its metric and convert the counts."""
    metric = ability.title().replace("_", "")
    chosen = {"rules": rules, **parameters}
    verdicts = {name: value for name, value in chosen.items() if name != "confidence"}
    metrics = [{"name": "Verdicts", **verdicts}, {"name": metric, **chosen}]
    report = evaluate(samples, metrics, task="rgb", items=True)
    tables = [one.value for one in report[metric] if isinstance(one.value, Mapping)]
    table = tables[-1] if tables else {}
    (found,) = tuple(table.get("noise_ratio", {}).values()) or (table,)
    percent = "" if noise_ratio is None else f"_{round(noise_ratio * 100)}%"
    by_noise = {} if noise_ratio is None or not found else {noise_ratio: found["accuracy"]}
    names = ("correct", "incorrect", "rejected")
    counts = {name: found.get(name, 0) for name in names}
    if ability == "negative_rejection":
        counts["correct"] = 0
    if ability == "counterfactual_robustness":
        corrected = found.get("corrected", 0)
        counts |= {"correct": corrected, "incorrect": len(samples) - corrected}
        counts |= {"errors_detected": found.get("detected", 0), "errors_corrected": corrected}
    return EvaluationResult(
        task_type=f"{ability}{percent}",
        model_name=model_name,
        total_samples=len(samples),
        accuracy_by_noise=by_noise,
        **counts,
        report=report,
    )
