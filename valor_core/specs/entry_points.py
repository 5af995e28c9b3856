"""Entry points: the distributions that claim each namespace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from valor_core.packages import Installed, installed

GROUP = "valor.plugins"
"""Group of the entry points: a namespace, and the module of its manifest."""


@frozen(repr=False)
class Claim:
    """One distribution's entry point for a namespace."""

    namespace: str
    module: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    @property
    def place(self) -> str:
        """What the plugin is called in errors."""
        return f"plugin '{self.namespace}' ({self})"


def entry_points(group: str) -> dict[str, str]:
    """Names and import strings of a group of entry points; the first distribution counts.

    Examples
    --------
    >>> entry_points("valor.plugins")["core"]
    'valor_core.plugin'
    """
    found: dict[str, str] = {}
    for each in installed().distributions:
        for name, value in each.announced(group):
            found.setdefault(name, value)
    return found


def claims() -> tuple[Claim, ...]:
    """The namespaces that installed distributions claim.

    Examples
    --------
    >>> "core" in [claim.namespace for claim in claims()]
    True
    """
    return _claimed(installed())


@lru_cache(maxsize=4)
def _claimed(found: Installed) -> tuple[Claim, ...]:
    return tuple(_announced(found))


def _announced(found: Installed) -> Iterator[Claim]:
    """What the metadata say; of two distributions of one name, the first counts."""
    seen = set()
    for each in found.distributions:
        if each.key not in seen:
            seen.add(each.key)
            for name, value in each.announced(GROUP):
                yield Claim(name, value, each.name, each.version)
