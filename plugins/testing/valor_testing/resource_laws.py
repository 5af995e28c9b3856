"""Laws of resources, such as judges, checked by opening them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

from attrs import frozen

from valor_core.errors import ValorError, short_repr
from valor_core.parameters import parameters_from, parameters_of
from valor_core.resources import opened
from valor_core.resources.bound import BoundResource, bind_resources
from valor_core.resources.opening import OpenResources
from valor_core.specs import MetricSpec, Range, Registry, ResourceSpec
from valor_testing import laws
from valor_testing.law import Breach, ConformanceError, agree, law, run_all

_THREADS = 8


@frozen
class Opening:
    """Resource under test, and a function that uses it.

    Parameters
    ----------
    bound : BoundResource
        The resource with its parameters.
    use : callable, optional
        Function called as ``use(resource)``, as a metric would. Must be deterministic.
    """

    bound: BoundResource
    use: Callable[[Any], Any] | None = None

    @property
    def name(self) -> str:
        """Name of the resource."""
        return self.bound.spec.name


def check_resource(
    spec: ResourceSpec,
    parameters: Mapping[str, Any] | None = None,
    use: Callable[[Any], Any] | None = None,
    registry: Registry | None = None,
) -> None:
    """Check all laws of a resource. This opens the resource even if that costs money.

    Parameters
    ----------
    spec : ResourceSpec
        Declaration of the resource.
    parameters : mapping of str to object, optional
        Parameters as in the resource's section of a config. Use a fake client for a judge.
    use : callable, optional
        Function called as ``use(resource)``, as a metric would. It is called repeatedly and from
        several threads at once, and must always return the same value.
    registry : Registry, optional
        Registry used to resolve the kinds of the resource.

    Raises
    ------
    ConformanceError
        If a law is broken; lists every broken law.

    Examples
    --------
    >>> spec = ResourceSpec(name="mylab.words", summary="A list", implementation="builtins:repr")
    >>> check_resource(spec, use=len)
    """
    try:
        bound = _bound(spec, parameters or {}, registry)
    except ValorError as error:
        finding = f"{error}; give them: parameters=…"
        raise ConformanceError(spec.name, "parameters", finding) from error
    run_all(partial(each, Opening(bound, use)) for each in RESOURCE_LAWS)


def _bound(
    spec: ResourceSpec, parameters: Mapping[str, Any], registry: Registry | None
) -> BoundResource:
    if spec.kinds is None:
        built: Any = parameters_from(spec.parameter_class, parameters, "")
        return BoundResource(spec, built, names=(spec.short_name,))
    asking = MetricSpec(
        name=spec.name,
        task="any",
        summary="",
        implementation=spec.implementation,
        higher_is_better=None,
        range=Range(),
        resources=(spec.name,),
    )
    (bound,) = bind_resources([(asking, {})], {spec.short_name: parameters}, registry or Registry())
    return bound


@law
def parameters_that_matter_are_declared(opening: Opening) -> None:
    """`identity` and `divided` name declared parameters, and divided ones are numbers."""
    names = {one.name for one in parameters_of(opening.bound.spec.parameter_class)}
    for field in ("identity", "divided"):
        for name in getattr(opening.bound.spec, field) or ():
            if name not in names and not hasattr(opening.bound.spec.parameter_class, name):
                raise Breach(f"{field}: expected names of its parameters, found {name!r}")
    for name in opening.bound.spec.divided:
        value = getattr(opening.bound.parameters, name)
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise Breach(f"divided: expected numbers, {name} is {short_repr(value)}")


@law
def parameters_survive(opening: Opening) -> None:
    """Parameters survive a round trip through a config and through pickle."""
    laws.parameters_round_trip(opening.bound.spec, opening.bound.parameters)
    again = pickle.loads(pickle.dumps(opening.bound))
    if again != opening.bound:
        raise Breach("its parameters are others after pickling")


@law
def opens_and_closes(opening: Opening) -> None:
    """The resource can be opened, closed and opened again."""
    for _ in range(2):
        with opened([opening.bound]) as resources:
            _use(opening, resources)


@law
def safe_from_several_threads(opening: Opening) -> None:
    """Concurrent use gives the same values as sequential use."""
    if opening.use is None:
        return
    with opened([opening.bound]) as resources:
        expected = _use(opening, resources)
    start = Barrier(_THREADS, timeout=60)

    def use(resources: Mapping[str, Any]) -> Any:
        start.wait()
        return _use(opening, resources)

    with opened([opening.bound]) as resources, ThreadPoolExecutor(_THREADS) as threads:
        for answer in threads.map(use, [resources] * _THREADS):
            agree(expected, answer, "alone", "with several threads at once")


@law
def facts_are_plain_and_grow(opening: Opening) -> None:
    """Facts are available at any time, and numeric facts never decrease."""
    with opened([opening.bound]) as resources:
        before = _facts(resources)
        _use(opening, resources)
        after = _facts(resources)
    for name, value in before.items():
        if name not in after:
            raise Breach(f"facts: {name!r} is there before use and missing after")
        if isinstance(value, (int, float)) and not _is_at_least(after[name], value):
            raise Breach(f"facts: {name!r} falls from {value} before use to {after[name]} after")


@law
def facts_count_one_opening(opening: Opening) -> None:
    """Numeric facts are 0 before use: a report sums those of all workers and resumed runs."""
    with opened([opening.bound]) as resources:
        _use(opening, resources)
    with opened([opening.bound]) as resources:
        for name, value in _facts(resources).items():
            if isinstance(value, (int, float)) and value:
                raise Breach(
                    f"facts: expected 0 for {name!r} before use, found {value}; write a constant "
                    "as a text"
                )


def _is_at_least(value: Any, before: float) -> bool:
    return isinstance(value, (int, float)) and value >= before


@law
def stop_and_width_are_plain(opening: Opening) -> None:
    """`stop` is None or a reason, and `width` is None or a positive integer."""
    with opened([opening.bound]) as resources:
        _use(opening, resources)
        (resource,) = resources.values()
        stop, width = getattr(resource, "stop", None), getattr(resource, "width", None)
    if stop is not None and not (isinstance(stop, str) and stop.strip()):
        raise Breach(f"stop: expected None or a reason, found {short_repr(stop)}")
    if width is not None and not (type(width) is int and width > 0):
        raise Breach(f"width: expected None or a number of 1 or more, found {short_repr(width)}")


RESOURCE_LAWS: Sequence[Callable[[Opening], None]] = (
    parameters_that_matter_are_declared,
    parameters_survive,
    opens_and_closes,
    safe_from_several_threads,
    facts_are_plain_and_grow,
    facts_count_one_opening,
    stop_and_width_are_plain,
)
"""Laws of a resource, the most informative first."""


def _use(opening: Opening, resources: Mapping[str, Any]) -> Any:
    (resource,) = resources.values()
    return None if opening.use is None else opening.use(resource)


def _facts(resources: OpenResources) -> Mapping[str, Any]:
    """Return the facts that the resource reports; `OpenResources` validates them."""
    reported = [facts for _, facts in resources.facts().values()]
    return next(iter(reported[0].values())) if reported else {}
