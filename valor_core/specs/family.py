"""Builder of the metric specs of a manifest."""

from __future__ import annotations

from typing import Any

from valor_core.parameters.declaration import NoParameters
from valor_core.specs.spec import MetricSpec


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
