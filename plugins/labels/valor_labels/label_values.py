"""Values of labels, the averages over them, and the parameters of their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.results import Failed, NumberOrReason, Result, macro_mean, weighted_mean
from valor_core.schemas import Codes, Label


def label_parameters(label: Label) -> dict[str, Any]:
    """Return the parameters of a result for one label.

    Examples
    --------
    >>> label_parameters(Label("animal", "dog"))
    {'label_key': 'animal', 'label': 'dog'}
    """
    return {"label_key": label.key, "label": label.value}


@frozen(kw_only=True, eq=False, repr=False)
class LabelValues:
    """A value for each label of a key, and the averages over them.

    Parameters
    ----------
    key : str
        The label key.
    labels : sequence of Label
        Its labels, sorted.
    truths : ndarray of int64, shape (n_labels,)
        Ground truths of each label.
    values : sequence of float, Undefined or Failed
        Value of each label.
    micro : float, Undefined or Failed, optional
        Value of all labels together; required for the average ``micro``.
    excluded : mapping of int to str
        Labels excluded from the macro mean by position, with the reason.
    refusal : Failed, optional
        Reason why there is no value, for every result.
    """

    key: str
    labels: Sequence[Label]
    truths: Codes
    values: Sequence[NumberOrReason]
    micro: NumberOrReason | None = None
    excluded: Mapping[int, str] = {}
    refusal: Failed | None = None

    def results(
        self, average: str, settings: Mapping[str, Any], include_prediction_only: bool = False
    ) -> Iterator[Result]:
        """Yield the results of an average, or one for each label.

        Parameters
        ----------
        average : {"none", "micro", "macro", "weighted"}
            ``none`` is one result for each label.
        settings : mapping
            Other parameters of the results.
        include_prediction_only : bool
            Whether the macro mean includes labels without ground truth.
        """
        if average == "none":
            for label, value in zip(self.labels, self.values, strict=True):
                parameters = label_parameters(label) | dict(settings)
                found = value if self.refusal is None else self.refusal
                yield Result(parameters=parameters, value=found)
            return
        value, left_out = self.average(average, include_prediction_only)
        parameters = {"label_key": self.key, "average": average} | dict(settings)
        yield Result(parameters=parameters, value=value, left_out=left_out)

    def average(
        self, average: str, include_prediction_only: bool = False
    ) -> tuple[NumberOrReason, dict[str, int]]:
        """Return an average over the labels, and the excluded labels by reason.

        Examples
        --------
        >>> import numpy as np
        >>> labels = [Label("class", "cat"), Label("class", "dog")]
        >>> values = LabelValues(
        ...     key="class", labels=labels, truths=np.array([3, 1]), values=[1.0, 0.5]
        ... )
        >>> values.average("macro"), values.average("weighted")
        ((0.75, {}), (0.875, {}))
        """
        if self.refusal is not None:
            return self.refusal, {}
        if average == "micro":
            assert self.micro is not None
            return self.micro, {}
        if average == "weighted":
            return weighted_mean(self.values, self.truths)
        return macro_mean(self.values, self.truths, include_prediction_only, self.excluded)
