from valor_core.resources.bound import (
    WARNINGS,
    BoundResource,
    ProvidedClient,
    bind_resources,
    open_as,
    sum_usage,
)
from valor_core.resources.opening import OpenResources, Share, opened

__all__ = [
    "WARNINGS",
    "BoundResource",
    "OpenResources",
    "ProvidedClient",
    "Share",
    "bind_resources",
    "open_as",
    "opened",
    "sum_usage",
]
