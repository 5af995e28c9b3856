"""Fingerprint: what a judge's scores come from, so that a calibration is used for no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from valor_core.parameters import parameter_values
from valor_core.resources import BoundResource
from valor_core.results import ItemRow
from valor_core.specs import MetricSpec


@frozen
class Fingerprint:
    """What the scores of a metric come from.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : mapping
        Its parameters.
    judge : mapping
        What of the judge's parameters can change a number: client, endpoint, sampling settings.
    models : tuple of str
        The models that answered, as the endpoint calls them.
    steps : mapping of str to tuple of str
        By step, version and digest of the prompts and of the replies' form.
    """

    metric: str
    parameters: Mapping[str, Any]
    judge: Mapping[str, Any]
    models: tuple[str, ...]
    steps: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls, spec: MetricSpec, parameters: Any, judge: BoundResource, rows: Iterable[ItemRow]
    ) -> Fingerprint:
        """What some rows come from.

        Parameters
        ----------
        spec, parameters
            The metric.
        judge : BoundResource
            The judge, as the config gives it.
        rows : iterable of ItemRow
            The rows; their details say which models answered which prompts.
        """
        models: set[str] = set()
        steps: dict[str, set[str]] = {}
        for row in rows:
            for told in row.details.get("steps", ()):
                models.add(told["model"])
                steps.setdefault(told["step"], set()).add(told["prompt"])
        identity = dict(judge.identity())
        # Files may be moved; what the prompts say is told by the digests of the steps.
        identity.pop("prompts", None)
        return cls(
            spec.identity,
            parameter_values(parameters),
            identity,
            tuple(sorted(models)),
            {name: tuple(sorted(steps[name])) for name in sorted(steps)},
        )

    def apart(self, other: Fingerprint) -> list[str]:
        """What another one differs in, in words; nothing if it is the same judge.

        Steps that were not needed for the other's items make no difference.
        """
        found = [*_apart("", self._told(), other._told())]
        if not {*other.models} <= {*self.models}:
            found.append(f"model {_listed(self.models)} became {_listed(other.models)}")
        for name, prompts in other.steps.items():
            known = self.steps.get(name, ())
            if not {*prompts} <= {*known}:
                found.append(f"step {name} {_listed(known)} became {_listed(prompts)}")
        return found

    def _told(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "parameters": dict(self.parameters),
            "judge": dict(self.judge),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fingerprint as a record has it."""
        return {
            **self._told(),
            "models": list(self.models),
            "steps": {name: list(prompts) for name, prompts in self.steps.items()},
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Fingerprint:
        """The fingerprint that `to_dict` wrote.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If it is none.
        """
        return cls(
            str(told["metric"]),
            dict(told["parameters"]),
            dict(told["judge"]),
            tuple(map(str, told["models"])),
            {str(name): tuple(map(str, own)) for name, own in told["steps"].items()},
        )


def _apart(place: str, one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            inner = f"{place}.{key}" if place else key
            yield from _apart(inner, one.get(key), other.get(key))
    elif one != other:
        yield f"{place} {_worded(one)} became {_worded(other)}"


def _worded(value: Any) -> str:
    return "none" if value is None else str(value)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names) or "none"
