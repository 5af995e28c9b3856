"""Fingerprint of a judge's scores, which restricts a calibration to the same judge."""

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
    """Configuration and models that produced the scores of a metric.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : mapping
        Its parameters.
    judge : mapping
        Parameters of the judge that can change a number: client, endpoint, sampling settings.
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
        """Return the fingerprint of rows.

        Parameters
        ----------
        spec, parameters
            The metric.
        judge : BoundResource
            The judge of the config.
        rows : iterable of ItemRow
            Rows whose details name the models and the prompts.
        """
        models: set[str] = set()
        steps: dict[str, set[str]] = {}
        for row in rows:
            for step in row.details.get("steps", ()):
                models.add(step["model"])
                steps.setdefault(step["step"], set()).add(step["prompt"])
        identity = dict(judge.identity())
        # Files of prompts may move; the digests of the steps identify their content.
        identity.pop("prompts", None)
        return cls(
            spec.identity,
            parameter_values(parameters),
            identity,
            tuple(sorted(models)),
            {name: tuple(sorted(steps[name])) for name in sorted(steps)},
        )

    def apart(self, other: Fingerprint) -> list[str]:
        """Describe the differences from another fingerprint; empty if the judge is the same.

        Steps that the other items did not need make no difference.
        """
        found = [*_apart("", self._identity(), other._identity())]
        if not {*other.models} <= {*self.models}:
            found.append(f"model {_listed(self.models)} became {_listed(other.models)}")
        for name, prompts in other.steps.items():
            known = self.steps.get(name, ())
            if not {*prompts} <= {*known}:
                found.append(f"step {name} {_listed(known)} became {_listed(prompts)}")
        return found

    def _identity(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "parameters": dict(self.parameters),
            "judge": dict(self.judge),
        }

    def to_dict(self) -> dict[str, Any]:
        """Convert to the form of a record."""
        return {
            **self._identity(),
            "models": list(self.models),
            "steps": {name: list(prompts) for name, prompts in self.steps.items()},
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Fingerprint:
        """Restore a fingerprint from the form of `to_dict`.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If the record is malformed.
        """
        return cls(
            str(record["metric"]),
            dict(record["parameters"]),
            dict(record["judge"]),
            tuple(map(str, record["models"])),
            {str(name): tuple(map(str, own)) for name, own in record["steps"].items()},
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
