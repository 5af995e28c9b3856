"""A metric from a plain function, for people who do not want a package yet."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from pickle import PicklingError
from typing import Annotated, Any, get_args, get_origin

import attrs
from attrs import field, frozen

from valor_core.errors import ManifestError, ParameterError
from valor_core.parameters.declaration import build, parameter, parameters
from valor_core.scoring.spec import ItemMetricSpec
from valor_core.specs.names import fold, short_name
from valor_core.specs.registry import DECORATED
from valor_core.specs.spec import Range, Reference, import_object


@frozen(kw_only=True)
class FunctionMetricSpec(ItemMetricSpec):
    """A metric that the decorator made from a function; pickled by its import string.

    Called with an item and the arguments of the function, it returns what the function returns.

    Parameters
    ----------
    score : callable
        ``score(item, parameters, resources)``.
    """

    score: Callable[..., Any] = field(repr=False, eq=False)

    def load(self, place: str | None = None) -> Any:
        """Return the function, or import another object that the spec names."""
        return self.score if place is None else import_object(place)

    @property
    def parameters_hint(self) -> str:
        """Remedy that lists the parameters: `valor show` does not find the metric."""
        names = ", ".join(one.name for one in attrs.fields(self.parameter_class))
        return f"{self.name} takes {names or 'no parameters'}."

    def __call__(self, item: Any, **arguments: Any) -> Any:
        """Check the arguments and call the function with an item.

        Raises
        ------
        ParameterError
            If an argument is unknown or missing, or its value does not fit.
        """
        handed: dict[str, Any] = {}
        for name in self.resources:
            argument = short_name(name)
            if argument not in arguments:
                sentence = f"{argument}: expected the resource, found none"
                raise ParameterError(sentence, place=f"{self.name}: ")
            handed[name] = arguments.pop(argument)
        parameters: Any = build(self.parameter_class, arguments, f"{self.name}: ")
        return self.score(item, parameters, handed)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            found = import_object(self.implementation)
        except (ImportError, AttributeError):
            found = None
        if found is not self:
            raise PicklingError(
                f"{self.name}: expected the metric at {self.implementation}, where other "
                "processes look for it"
            )
        return import_object, (self.implementation,)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def metric(
    name: str,
    *,
    task: str,
    higher_is_better: bool | None = True,
    range: Range | None = None,
    references: tuple[Reference, ...] = (),
    version: int = 1,
    resources: tuple[str, ...] = (),
    requires: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], FunctionMetricSpec]:
    """Make a per-item metric from a function of one item, which may be an ``async def``.

    The function's keyword-only arguments are the metric's parameters: annotation and default
    are taken over, and ``Annotated[bool, "what it means"]`` carries the help text. What it
    returns is the item's score, `Undefined`, `Failed` or an `ItemScore`. The name it is bound to
    becomes the spec, which stands for the metric wherever one is chosen, and can still be called.

    Parameters
    ----------
    name : str
        ``"namespace.Name"``.
    task : str
        Whose items it scores.
    higher_is_better : bool or None
        Its direction.
    range : Range, optional
        Where its numbers lie; 0 to 1 unless given.
    references : tuple of Reference
        What defines it.
    version : int
        Raised when any input can give another number.
    resources : tuple of str
        Names of the resources that it asks for; it is given each, open, as the keyword-only
        argument that is called like it.
    reads : tuple of str
        Fields of an item without which it is not asked: the item is `Undefined`.

    Raises
    ------
    ManifestError
        If the function has no name, the first argument is not the item, another one has no
        annotation that configs can fill, or is not keyword-only, or none takes a resource.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.text.batch import Text
    >>> @metric("mylab.ExactMatch", task="text")
    ... def exact_match(item, *, ignore_case: bool = False) -> float:
    ...     '''Whether the response is one of the references.'''
    ...     fold = str.casefold if ignore_case else str
    ...     return float(fold(item.response) in map(fold, item.references))
    >>> exact_match(Text("q1", response="paris", references="Paris"))
    0.0
    >>> items = [Text("q1", response="paris", references="Paris")]
    >>> evaluate(items, [{"name": "mylab.ExactMatch", "ignore_case": True}])["ExactMatch"].value
    1.0
    """

    def make(function: Callable[..., Any]) -> FunctionMetricSpec:
        _check_named(name, function)
        scorer = _awaited if inspect.iscoroutinefunction(function) else _score
        summary = (inspect.getdoc(function) or name).partition("\n")[0]
        implementation = f"{function.__module__}:{function.__qualname__.rpartition('.')[2]}"
        spec = FunctionMetricSpec(
            name=name,
            task=task,
            summary=summary.rstrip("."),
            parameters=_parameters_of(name, function, implementation, resources),
            implementation=implementation,
            higher_is_better=higher_is_better,
            range=Range(0, 1) if range is None else range,
            references=references,
            version=version,
            resources=resources,
            requires=requires,
            score=partial(scorer, function, resources),
        )
        DECORATED[fold(name)] = spec
        return spec

    return make


def _check_named(name: str, function: Callable[..., Any]) -> None:
    """Other processes look for the metric by the name that its function has in its module."""
    called = getattr(function, "__name__", type(function).__name__)
    if not called.isidentifier() or not hasattr(function, "__qualname__"):
        raise ManifestError(
            f"{name}: expected a function with a name, got {called}",
            "Write it as: def score(item) -> float",
        )


def _score(
    function: Callable[..., Any],
    asked_for: tuple[str, ...],
    item: Any,
    chosen: Any,
    resources: Mapping[str, Any],
) -> Any:
    handed = {short_name(name): resources[name] for name in asked_for}
    return function(item, **attrs.asdict(chosen, recurse=False), **handed)


async def _awaited(
    function: Callable[..., Any],
    asked_for: tuple[str, ...],
    item: Any,
    chosen: Any,
    resources: Mapping[str, Any],
) -> Any:
    return await _score(function, asked_for, item, chosen, resources)


def _remake(implementation: str, values: dict[str, Any]) -> Any:
    return import_object(implementation).parameters(**values)


def _parameters_of(
    name: str, function: Callable[..., Any], implementation: str, resources: tuple[str, ...]
) -> type:
    hints = typing.get_type_hints(function, include_extras=True)
    arguments = list(inspect.signature(function).parameters.values())
    if not arguments or arguments[0].kind not in _POSITIONAL:
        raise ManifestError(
            f"{name}: expected a function whose first argument is the item",
            f"Write it as: def {function.__name__}(item) -> float",
        )

    def reduced(instance: Any) -> tuple[Any, ...]:
        # the class is made here and stands in no module, so it is found through its metric
        return _remake, (implementation, attrs.asdict(instance, recurse=False))

    namespace: dict[str, Any] = {
        "__annotations__": {},
        "__module__": function.__module__,
        "__reduce__": reduced,
    }
    handed = set(map(short_name, resources))
    for argument in sorted(handed - {one.name for one in arguments if one.kind is _KEYWORD}):
        raise ManifestError(
            f"{name}: expected a keyword-only argument for the resource {argument!r}, found none",
            f"Write it as: def {function.__name__}(item, *, {argument})",
        )
    for keyword in arguments[1:]:
        if keyword.name in handed:
            continue
        if keyword.kind is not _KEYWORD or keyword.name not in hints:
            raise ManifestError(
                f"{name}: argument {keyword.name!r} must be keyword-only and annotated",
                f"Write it as: def {function.__name__}(item, *, {keyword.name}: float = …)",
            )
        hint, help = hints[keyword.name], f"Argument of {function.__name__}."
        if get_origin(hint) is Annotated:
            hint, help = get_args(hint)[0], str(get_args(hint)[1])
        default = attrs.NOTHING if keyword.default is keyword.empty else keyword.default
        namespace["__annotations__"][keyword.name] = hint
        namespace[keyword.name] = parameter(default=default, help=help)
    return parameters(type(f"{name.rpartition('.')[2]}Parameters", (), namespace))
