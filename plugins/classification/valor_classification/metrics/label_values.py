"""Label values: one number for each label of a key, and the means over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from valor_classification.counting.score_checks import ScorelessPredictions, ScoreRange
from valor_core.results import Failed, NumberOrReason, Result, label_parameters, macro, weighted
from valor_core.schemas import Codes, Label


@frozen(kw_only=True, eq=False, repr=False)
class LabelValues:
    """A value for each label of a key.

    Parameters
    ----------
    key : str
        The label key.
    labels : sequence of Label
        Its labels, sorted.
    truths : ndarray of int64, shape (n_labels,)
        Number of ground truths of each.
    values : sequence of float, Undefined or Failed
        The value of each.
    refusal : Failed, optional
        Why there is none at all, neither of a label nor a mean.
    """

    key: str
    labels: Sequence[Label]
    truths: Codes
    values: Sequence[NumberOrReason]
    refusal: Failed | None = None

    def unless(self, *others: ScorelessPredictions | ScoreRange) -> LabelValues:
        """The same, or why there is no value where scores are not what they had to be."""
        refusals = (other.of(self.key).refusal for other in others)
        return evolve(self, refusal=next((one for one in refusals if one is not None), None))

    def results(
        self, average: str, shaped: Mapping[str, Any], include_prediction_only: bool = False
    ) -> Iterator[Result]:
        """One result for each label, or their mean.

        Parameters
        ----------
        average : {"none", "macro", "weighted"}
            Every label, the plain mean, or the mean by number of ground truths.
        shaped : mapping
            Parameters that the results have besides.
        include_prediction_only : bool
            Whether labels without ground truth take part in the plain mean.
        """
        if average == "none":
            for label, value in zip(self.labels, self.values, strict=True):
                parameters = label_parameters(label) | dict(shaped)
                found = value if self.refusal is None else self.refusal
                yield Result(parameters=parameters, value=found)
            return
        parameters = {"label_key": self.key, "average": average} | dict(shaped)
        if self.refusal is not None:
            yield Result(parameters=parameters, value=self.refusal)
            return
        if average == "macro":
            mean, left_out = macro(self.values, self.truths, include_prediction_only)
        else:
            mean, left_out = weighted(self.values, self.truths)
        yield Result(parameters=parameters, value=mean, left_out=left_out)
