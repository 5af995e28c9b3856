"""Resources: what metrics need besides data, opened once per process and closed at the end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from attrs import define, field, frozen

from valor_core.errors import ResourceError, ValorError, ValorWarning, shown
from valor_core.evaluation.resources.bound_resource import (
    BoundKind,
    BoundResource,
    GivenKind,
    located,
)
from valor_core.evaluation.resources.facts import Facts, told_by
from valor_core.parameters.declaration import build, parameter_values
from valor_core.parameters.environment import fill_in
from valor_core.plugins.registry import implementation
from valor_core.plugins.spec import ResourceKindSpec, ResourceSpec

if TYPE_CHECKING:
    import asyncio

_Number = TypeVar("_Number", int, float)


@frozen
class Share:
    """Which part of a budget a worker has, of all workers of a run.

    Parameters
    ----------
    number : int
        Which worker it is, from 0; one from `of` on came in place of a lost one, whose part
        counts as used up.
    of : int
        How many workers there are.

    Examples
    --------
    >>> [Share(number, 3).part(50) for number in range(4)]
    [17, 17, 16, 0]
    >>> [Share(number, 2).part(0.5) for number in range(3)]
    [0.25, 0.25, 0.0]
    """

    number: int = 0
    of: int = 1

    def part(self, whole: _Number) -> _Number:
        """Its part of a number; parts of a whole number are whole."""
        if self.number >= self.of:
            return 0 * whole
        if isinstance(whole, int):
            return whole // self.of + (self.number < whole % self.of)
        return whole / self.of


ALONE = Share()


@define(eq=False)
class OpenResources(Mapping[str, Any]):
    """Opened resources, by the names that metrics use.

    An opened resource is any object. If it has them, these are used: ``width``, how many items
    may be under way with it; ``stop``, why it answers no more, or None; ``facts()``, a table of
    numbers and texts for the report, and under ``warnings`` a list of what to beware of;
    ``close()``.
    """

    _open: Mapping[str, tuple[BoundResource, Any]]
    _limits: dict[int, asyncio.Semaphore] | None = field(default=None, init=False)
    _opening: str = field(factory=lambda: uuid4().hex, init=False)
    _asked: Iterator[int] = field(factory=count, init=False)

    def __getitem__(self, name: str) -> Any:
        return self._open[name][1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def limits(self, names: Sequence[str]) -> Sequence[asyncio.Semaphore]:
        """One for each resource that has a width; in one order for all, so that none waits in vain.

        They are the process's: whoever counts on another thread waits for the same ones.
        """
        if self._limits is None:
            self._limits = self._new_limits()
        wanted = {id(self[name]) for name in names}
        return [limit for key, limit in self._limits.items() if key in wanted]

    def _new_limits(self) -> dict[int, asyncio.Semaphore]:
        from asyncio import Semaphore

        limits = {}
        for bound, instance in self._open.values():
            width = getattr(instance, "width", None)
            if width is None or id(instance) in limits:
                continue
            if not isinstance(width, int) or width < 1:
                expected = f"{bound.name}: width must be a whole number of at least 1"
                raise ResourceError(f"{expected}, got {shown(width)}")
            limits[id(instance)] = Semaphore(width)
        return limits

    def identity(self, name: str) -> Mapping[str, Any]:
        """What of a resource can change a number."""
        return self._open[name][0].identity()

    def facts(self) -> dict[str, tuple[int, Facts]]:
        """What the resources tell of themselves so far, under a name of this opening."""
        told: dict[str, Any] = {}
        for bound, instance in self._open.values():
            if hasattr(instance, "facts"):
                told[bound.name] = told_by(bound.name, instance.facts)
        return {self._opening: (next(self._asked), told)} if told else {}


@contextmanager
def opened(resources: Iterable[BoundResource], share: Share = ALONE) -> Iterator[OpenResources]:
    """The resources, open; closed when the block ends.

    Parameters
    ----------
    resources : iterable of BoundResource
        What to open.
    share : Share
        Which part of their budgets this worker has.

    Raises
    ------
    ResourceError
        If one cannot be opened; those opened before it are closed.
    """
    with ExitStack() as stack:
        found: dict[str, tuple[BoundResource, Any]] = {}
        for resource in resources:
            instance = _open(resource, share, stack)
            found |= dict.fromkeys(resource.names, (resource, instance))
        yield OpenResources(found)


def _open(resource: BoundResource, share: Share, stack: ExitStack) -> Any:
    spec = resource.spec
    try:
        made: dict[str, Any] = {}
        if resource.kinds and spec.kinds is not None:
            kinds = tuple(_open_kind(kind, resource, stack) for kind in resource.kinds)
            made[spec.kinds] = kinds if spec.several_kinds else kinds[0]
        parameters = _filled_in(resource.parameters, spec, resource.name, share)
        instance = implementation(spec)(located(parameters, resource.folder), **made)
        _close_later(instance, stack)
        return instance
    except ValorError:
        raise
    except Exception as error:
        raise ResourceError(
            f"{spec.name}: cannot be opened, {type(error).__name__}: {error}"
        ) from error


def _open_kind(kind: BoundKind | GivenKind, resource: BoundResource, stack: ExitStack) -> Any:
    if isinstance(kind, GivenKind):
        return kind.made
    values = _filled_in(kind.parameters, kind.spec, f"{resource.name}.{resource.spec.kinds}")
    made = implementation(kind.spec)(located(values, resource.folder))
    _close_later(made, stack)
    return made


def _filled_in(
    parameters: Any, spec: ResourceSpec | ResourceKindSpec, name: str, share: Share = ALONE
) -> Any:
    """Parameters with what the environment has, and this worker's part of a budget."""
    # A saved state names environment variables; they are looked up where the resource is opened.
    values = fill_in(parameter_values(parameters), name)
    filled: Any = build(spec.parameter_class, values, f"{name}.")
    for divided in spec.divided if isinstance(spec, ResourceSpec) else ():
        whole = getattr(filled, divided)
        if whole is not None and share != ALONE:
            # Not checked again: a part may be 0 where a whole must be more.
            object.__setattr__(filled, divided, share.part(whole))
    return filled


def _close_later(instance: Any, stack: ExitStack) -> None:
    close = getattr(instance, "close", None)
    if close is not None:
        stack.callback(_close, type(instance).__name__, close)


def _close(name: str, close: Callable[[], object]) -> None:
    try:
        close()
    except Exception as error:  # what was counted with it is not lost for that
        told = f"{name} could not be closed, {type(error).__name__}: {error}"
        warnings.warn(told, ValorWarning, stacklevel=2)
