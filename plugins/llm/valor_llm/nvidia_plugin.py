"""Manifest of the namespace `nvidia`: metrics of two judges each."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.spec import MetricSpec


@hookimpl
def valor_metrics() -> tuple[MetricSpec, ...]:
    """Declare the metrics."""
    return ()
