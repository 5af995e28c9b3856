"""A metric from a plain function, for people who do not want a package yet."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, get_args, get_origin

import attrs

from valor_core.errors import ManifestError
from valor_core.parameters import parameter, parameters
from valor_core.spec import FunctionMetricSpec, MetricSpec, Range, Reference


def metric(
    name: str,
    *,
    task: str,
    higher_is_better: bool | None = True,
    range: Range | None = None,
    references: tuple[Reference, ...] = (),
    version: int = 1,
) -> Callable[[Callable[..., Any]], MetricSpec]:
    """Make a per-item metric from a function of one item.

    The function's keyword-only arguments are the metric's parameters: annotation and default
    are taken over, and ``Annotated[bool, "what it means"]`` carries the help text. What it
    returns is the item's score, `Undefined`, `Failed` or an `ItemScore`. The name it is bound to
    becomes the spec, which stands for the metric wherever one is chosen.

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

    Raises
    ------
    ManifestError
        If an argument has no annotation or is not keyword-only.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.text import Text
    >>> @metric("mylab.ExactMatch", task="text")
    ... def exact_match(item, *, ignore_case: bool = False) -> float:
    ...     '''Whether the response is one of the references.'''
    ...     fold = str.casefold if ignore_case else str
    ...     return float(fold(item.response) in map(fold, item.references))
    >>> items = [Text("q1", response="paris", references="Paris")]
    >>> evaluate(items, [{"name": exact_match, "ignore_case": True}])["ExactMatch"].value
    1.0
    """

    def make(function: Callable[..., Any]) -> MetricSpec:
        summary = (inspect.getdoc(function) or name).partition("\n")[0]
        return FunctionMetricSpec(
            name=name,
            task=task,
            summary=summary.rstrip("."),
            parameters=_parameters_of(name, function),
            implementation=f"{function.__module__}:{function.__qualname__.rpartition('.')[2]}",
            higher_is_better=higher_is_better,
            range=Range(0, 1) if range is None else range,
            references=references,
            version=version,
            per_item=True,
            score=partial(_score, function),
        )

    return make


def _score(
    function: Callable[..., Any], item: Any, chosen: Any, resources: Mapping[str, Any]
) -> Any:
    return function(item, **attrs.asdict(chosen, recurse=False))


def _parameters_of(name: str, function: Callable[..., Any]) -> type:
    hints = typing.get_type_hints(function, include_extras=True)
    keywords = list(inspect.signature(function).parameters.values())[1:]
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for keyword in keywords:
        if keyword.kind is not keyword.KEYWORD_ONLY or keyword.name not in hints:
            raise ManifestError(
                f"{name}: argument {keyword.name!r} must be keyword-only and annotated",
                f"Write it as: def {function.__name__}(item, *, {keyword.name}: float = …)",
            )
        hint, help = hints[keyword.name], f"Argument of {function.__name__}."
        if get_origin(hint) is Annotated:
            hint, help = get_args(hint)[:2]
        default = attrs.NOTHING if keyword.default is keyword.empty else keyword.default
        namespace["__annotations__"][keyword.name] = hint
        namespace[keyword.name] = parameter(default, help=help)
    return parameters(type(f"{name.rpartition('.')[2]}Parameters", (), namespace))
