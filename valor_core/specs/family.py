"""Builder of the metric and reader specs of a manifest."""

from __future__ import annotations

from typing import Any

from valor_core.parameters.declaration import NoParameters
from valor_core.specs.spec import MetricSpec, ReaderSpec


class MetricFamily:
    """Metrics of one package that share a namespace and the defaults of their fields.

    Parameters
    ----------
    namespace : str
        Namespace of the names.
    package : str
        Package with the folders ``metrics`` and ``parameters``.
    kind : type
        `MetricSpec` or a subclass.
    **defaults
        Fields of the specs. The task is the namespace by default.

    Examples
    --------
    >>> from valor_core.specs import Range
    >>> metric = MetricFamily("mylab", "valor_mylab", task="text", range=Range(0, 1))
    >>> spec = metric("Overlap", "overlap:score", "Shared words", higher_is_better=True)
    >>> spec.name, spec.implementation
    ('mylab.Overlap', 'valor_mylab.metrics.overlap:score')
    """

    def __init__(
        self, namespace: str, package: str, kind: type[MetricSpec] = MetricSpec, **defaults: Any
    ) -> None:
        self.namespace, self.package, self.kind = namespace, package, kind
        self.defaults = {"task": namespace, **defaults}

    def having(self, **defaults: Any) -> MetricFamily:
        """Return the family with other defaults.

        Examples
        --------
        >>> metric = MetricFamily("mylab", "valor_mylab", task="text", higher_is_better=True)
        >>> metric.having(task="mytask").defaults
        {'task': 'mytask', 'higher_is_better': True}
        """
        return MetricFamily(
            self.namespace, self.package, self.kind, **{**self.defaults, **defaults}
        )

    def reader(self, name: str, summary: str, **fields: Any) -> ReaderSpec:
        """Create the spec of a reader that is named like its module in ``readers``.

        Parameters
        ----------
        name : str
            Name without the namespace. ``"coco"`` has the class `CocoReader` in ``readers.coco``,
            the parameters `CocoParameters` in ``parameters.readers``, and the function `coco` in
            ``readers.recognized``, which detects its files.
        summary : str
            One line for lists of readers.
        **fields
            Other fields of the spec. They replace those derived from the name.

        Examples
        --------
        >>> MetricFamily("mylab", "valor_mylab").reader("coco", "COCO's JSON").implementation
        'valor_mylab.readers.coco:CocoReader'
        """
        derived = {
            "task": self.defaults["task"],
            "implementation": f"{self.package}.readers.{name}:{name.capitalize()}Reader",
            "parameters": f"{self.package}.parameters.readers:{name.capitalize()}Parameters",
            "detect": f"{self.package}.readers.recognized:{name}",
        }
        return ReaderSpec(name=f"{self.namespace}.{name}", summary=summary, **{**derived, **fields})

    def __call__(
        self,
        name: str,
        implementation: str,
        summary: str,
        parameters: str | None = None,
        **fields: Any,
    ) -> MetricSpec:
        """Create a spec.

        Parameters
        ----------
        name : str
            Name without the namespace.
        implementation : str
            Module and object in ``metrics``, such as ``"overlap:score"``.
        summary : str
            One line for lists of metrics.
        parameters : str, optional
            Module and class in ``parameters``. Defaults to `NoParameters`.
        **fields
            Other fields of the spec.
        """
        return self.kind(
            name=f"{self.namespace}.{name}",
            summary=summary,
            implementation=f"{self.package}.metrics.{implementation}",
            parameters=f"{self.package}.parameters.{parameters}" if parameters else NoParameters,
            **{**self.defaults, **fields},
        )
