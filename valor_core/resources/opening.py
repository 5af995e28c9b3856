"""Resources: what metrics need besides data, opened once per process and closed at the end."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, field, frozen

from valor_core.errors import ResourceError, ValorError, ValorWarning, shown
from valor_core.parameters.declaration import build, parameter_values
from valor_core.parameters.environment import fill_in
from valor_core.resources.bound import (
    BoundKind,
    BoundResource,
    Facts,
    ProvidedClient,
    located,
    read_usage,
)
from valor_core.specs.spec import ResourceKindSpec, ResourceSpec

if TYPE_CHECKING:
    import asyncio

    from valor_core.cancellation import Control
    from valor_core.resources.journal import Journal

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


SINGLE_WORKER = Share()


@frozen(eq=False, repr=False)
class OpenResource:
    """A resource that is open. It may be any object: what it may have is asked for here alone.

    Parameters
    ----------
    name : str
        What reports and errors call it.
    made : object
        The resource itself.
    identity : callable
        Tells what of it can change a number.
    """

    name: str
    made: Any
    identity: Callable[[], Any]

    @property
    def width(self) -> int | None:
        """How many items may be under way with it, if it says so."""
        width = getattr(self.made, "width", None)
        if width is not None and (not isinstance(width, int) or width < 1):
            expected = f"{self.name}: width must be a whole number of at least 1"
            raise ResourceError(f"{expected}, got {shown(width)}")
        return width

    @property
    def stop(self) -> object:
        """Why it answers no more; nothing while it does."""
        return getattr(self.made, "stop", None)

    def facts(self) -> Mapping[str, Any] | None:
        """Numbers and texts for the report, if it tells any."""
        tell = getattr(self.made, "facts", None)
        return None if tell is None else read_usage(self.name, tell)


@define(eq=False, repr=False)
class OpenResources(Mapping[str, Any]):
    """Opened resources, by the names that metrics use."""

    _open: Mapping[str, OpenResource]
    control: Control | None = None
    """Control of the run that uses them, which a metric asks whether to go on."""
    journal: Journal | None = None
    """Rows that the run, or an earlier one, has paid for."""
    _limits: dict[int, asyncio.Semaphore] | None = field(default=None, init=False)
    _opening: str = field(factory=lambda: os.urandom(16).hex(), init=False)
    _asked: Iterator[int] = field(factory=count, init=False)
    _telling: threading.Lock = field(factory=threading.Lock, init=False)

    @classmethod
    def of(cls, resources: Mapping[str, Any]) -> OpenResources:
        """Resources that may be some that somebody made, such as the fakes of a test."""
        if isinstance(resources, OpenResources):
            return resources
        return cls(
            {name: OpenResource(name, made, partial(str, name)) for name, made in resources.items()}
        )

    def __getitem__(self, name: str) -> Any:
        return self._open[name].made

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def limits(self, names: Iterable[str]) -> Sequence[asyncio.Semaphore]:
        """One for each resource that has a width; in one order for all, so that none waits in vain.

        They are the process's: whoever counts on another thread waits for the same ones.
        """
        # Asked for on the event loop alone, so that no two threads make them.
        if self._limits is None:
            self._limits = self._new_limits()
        wanted = {id(self[name]) for name in names}
        return [limit for key, limit in self._limits.items() if key in wanted]

    def _new_limits(self) -> dict[int, asyncio.Semaphore]:
        from asyncio import Semaphore

        # By the object, which may be open under several names.
        widths = {id(one.made): one.width for one in self._open.values()}
        return {key: Semaphore(width) for key, width in widths.items() if width is not None}

    def stop(self, names: Iterable[str]) -> str | None:
        """Why one of some resources answers no more."""
        reasons = (self._open[name].stop for name in names)
        return next((str(reason) for reason in reasons if reason), None)

    def identity(self, name: str) -> Any:
        """What of a resource can change a number."""
        return self._open[name].identity()

    def facts(self) -> dict[str, tuple[int, Facts]]:
        """What the resources tell of themselves so far, under a name of this opening."""
        # Counts go on from one answer to the next: of one opening, a tally keeps the latest.
        with self._telling:
            told = {one.name: one.facts() for one in self._open.values()}
            known = {name: facts for name, facts in told.items() if facts is not None}
            return {self._opening: (next(self._asked), known)} if known else {}


@contextmanager
def opened(
    resources: Iterable[BoundResource], share: Share = SINGLE_WORKER
) -> Iterator[OpenResources]:
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
        found: dict[str, OpenResource] = {}
        for resource in resources:
            made = _open(resource, share, stack)
            opened = OpenResource(resource.name, made, resource.identity)
            found |= dict.fromkeys(resource.names, opened)
        yield OpenResources(found)


def _open(resource: BoundResource, share: Share, stack: ExitStack) -> Any:
    spec = resource.spec
    try:
        made: dict[str, Any] = {}
        if resource.kinds and spec.kinds is not None:
            kinds = tuple(_open_kind(kind, resource, stack) for kind in resource.kinds)
            made[spec.kinds] = kinds if spec.several_kinds else kinds[0]
        parameters = _filled_in(resource.parameters, spec, resource.name, share)
        instance = spec.load()(located(parameters, resource.folder), **made)
        stack.callback(_close, instance)
        divided = getattr(instance, "divided", None)
        if divided is not None and share != SINGLE_WORKER:
            divided(_wholes(resource), share.of)
        return instance
    except ValorError:
        raise
    except Exception as error:
        raise ResourceError(
            f"{spec.name}: cannot be opened, {type(error).__name__}: {error}"
        ) from error


def _open_kind(kind: BoundKind | ProvidedClient, resource: BoundResource, stack: ExitStack) -> Any:
    if isinstance(kind, ProvidedClient):
        return kind.made
    values = _filled_in(kind.parameters, kind.spec, f"{resource.name}.{resource.spec.kinds}")
    made = kind.spec.load()(located(values, resource.folder))
    stack.callback(_close, made)
    return made


def _filled_in(
    parameters: Any, spec: ResourceSpec | ResourceKindSpec, name: str, share: Share = SINGLE_WORKER
) -> Any:
    """Parameters with what the environment has, and this worker's part of a budget."""
    # A saved state names environment variables; they are looked up where the resource is opened.
    values = fill_in(parameter_values(parameters), name)
    filled: Any = build(spec.parameter_class, values, f"{name}.")
    for divided in spec.divided if isinstance(spec, ResourceSpec) else ():
        whole = getattr(filled, divided)
        if whole is not None and share != SINGLE_WORKER:
            # Not checked again: a part may be 0 where a whole must be more.
            object.__setattr__(filled, divided, share.part(whole))
    return filled


def _wholes(resource: BoundResource) -> dict[str, Any]:
    """The budgets of a resource before they were divided."""
    filled = _filled_in(resource.parameters, resource.spec, resource.name)
    return {name: getattr(filled, name) for name in resource.spec.divided}


def _close(made: Any) -> None:
    close = getattr(made, "close", None)
    try:
        if close is not None:
            close()
    except Exception as error:  # what was counted with it is not lost for that
        told = f"{type(made).__name__} could not be closed, {type(error).__name__}: {error}"
        warnings.warn(told, ValorWarning, stacklevel=2)
