"""Applied thresholds: score thresholds of labels that another run found, read from its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ParameterError, ReportError
from valor_core.results import Failed, Report, Result, Undefined
from valor_core.schemas import Label
from valor_labels.threshold_objective import OBJECTIVE_PARAMETERS, ThresholdObjective

_OF_RESULT = ("label_key", "label", "average", "applied", *OBJECTIVE_PARAMETERS)


@frozen(kw_only=True, repr=False)
class AppliedThresholds:
    """Score thresholds of labels, from a report of BestThreshold.

    Parameters
    ----------
    source : str
        The report.
    settings : mapping
        Name and parameters of the objective.
    of_labels : mapping of Label to float or str
        Threshold of each label, or the reason why it has none.
    of_keys : mapping of str to float or str
        Threshold of all labels of a key, or the reason.
    """

    source: str
    settings: Mapping[str, Any]
    of_labels: Mapping[Label, float | str]
    of_keys: Mapping[str, float | str]

    def of(self, label: Label) -> float | Undefined | Failed:
        """Return the threshold of a label, or the reason why it has none."""
        found = self.of_labels.get(label)
        if found is None:
            return Failed(
                f"{self.source} has no threshold of {str(label)!r}; find thresholds on data with "
                "this label, or rename it with label_map"
            )
        return Undefined(found) if isinstance(found, str) else found

    def of_all(self, key: str) -> float | Undefined | Failed:
        """Return the common threshold of all labels of a key, or the reason why it has none."""
        found = self.of_keys.get(key)
        if found is None:
            return Failed(
                f"{self.source} has no threshold of all labels together; leave average: micro out, "
                "or find thresholds with it"
            )
        return Undefined(found) if isinstance(found, str) else found


def applied_thresholds(
    metric: str, chosen: ThresholdObjective, coordinates: Mapping[str, Any] | None = None
) -> AppliedThresholds:
    """Return the thresholds of a report, as `ThresholdObjective.apply` selects it.

    Parameters
    ----------
    metric : str
        Full name: ``"classification.BestThreshold"``.
    chosen : ThresholdObjective
        Report and objective. Without an objective, the report must have a single one.
    coordinates : mapping, optional
        Other parameters of the results, such as an IoU threshold.

    Raises
    ------
    ParameterError
        If the file is no report, or has no results of the metric with the objective and
        coordinates.
    """
    assert chosen.apply is not None
    results = _results(metric, chosen.apply)
    wanted = dict(coordinates or {})
    matching = [one for one in results if _others(one) == wanted]
    if not matching:
        found = _listed(map(_others, results))
        raise ParameterError(
            f"apply: expected thresholds for {_in_words(wanted)} in {chosen.apply}, found {found}",
            "Set the same parameters as in the run that wrote the report.",
        )
    settings = _settings_of(matching, chosen)
    of_labels: dict[Label, float | str] = {}
    of_keys: dict[str, float | str] = {}
    for one in matching:
        if _settings(one) != settings:
            continue
        key, label = str(one.parameters.get("label_key")), one.parameters.get("label")
        if label is None:
            of_keys[key] = _threshold(one, chosen.apply)
        else:
            of_labels[Label(key, str(label))] = _threshold(one, chosen.apply)
    return AppliedThresholds(
        source=chosen.apply.as_posix(),
        settings=settings,
        of_labels=of_labels,
        of_keys=of_keys,
    )


def _results(metric: str, path: Path) -> list[Result]:
    try:
        changed = path.stat().st_mtime_ns if path.exists() else None
        report = _loaded(path, changed)
    except ReportError as error:
        raise ParameterError(f"apply: {error.message}", error.remedy) from error
    found = [one for one in report.results if one.metric.partition("@")[0] == metric]
    if not found:
        raise ParameterError(
            f"apply: expected results of {metric} in {path}, found none",
            f"Add {metric} to the metrics of the run that writes this report.",
        )
    return found


@lru_cache(maxsize=4)
def _loaded(path: Path, changed: int | None) -> Report:
    return Report.load(path)


def _settings_of(results: Iterable[Result], chosen: ThresholdObjective) -> dict[str, Any]:
    """Return the objective whose thresholds are applied."""
    found = list({str(_settings(one)): _settings(one) for one in results}.values())
    if chosen.is_default and len(found) == 1:
        return found[0]
    if chosen.is_default:
        raise ParameterError(
            f"apply: expected one objective in {chosen.apply}, found {_listed(found)}",
            f"Choose one of them, for example objective: {found[0]['objective']}",
        )
    if chosen.settings not in found:
        raise ParameterError(
            f"apply: expected thresholds for {_in_words(chosen.settings)} in {chosen.apply}, "
            f"found {_listed(found)}",
            "Leave objective and its parameters out to use those of the report.",
        )
    return chosen.settings


def _settings(result: Result) -> dict[str, Any]:
    return {k: v for k, v in result.parameters.items() if k in OBJECTIVE_PARAMETERS}


def _others(result: Result) -> dict[str, Any]:
    return {k: v for k, v in result.parameters.items() if k not in _OF_RESULT}


def _threshold(result: Result, path: Path) -> float | str:
    if result.undefined is not None or result.error is not None:
        return str(result.undefined or result.error)
    found = result.value.get("threshold") if isinstance(result.value, Mapping) else None
    if not isinstance(found, (int, float)):
        raise ParameterError(f"apply: expected a threshold in {path}, found {found!r}")
    return float(found)


def _listed(settings: Iterable[Mapping[str, Any]]) -> str:
    return ", or ".join(dict.fromkeys(map(_in_words, settings)))


def _in_words(settings: Mapping[str, Any]) -> str:
    """Return settings as people read them.

    Examples
    --------
    >>> _in_words({"objective": "recall_at_precision", "minimum": 0.9})
    'objective recall_at_precision with minimum 0.9'
    """
    named = [f"{name} {value}" for name, value in settings.items()]
    return " with ".join([named[0], ", ".join(named[1:])][: len(named)]) if named else "no settings"
