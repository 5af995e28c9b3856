"""Models: which have answered, and whether their names mean the same tomorrow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from valor_core.resources import BoundResource, ProvidedClient

_FLOATING = re.compile(r"(^|[-:@_])latest$")
_DATED = re.compile(r"[-@:_]v?\d[\w.-]*")


def asked_models(judge: BoundResource) -> list[str]:
    """The models that the clients of a judge ask for."""
    found = []
    for kind in judge.kinds:
        holder = kind.made if isinstance(kind, ProvidedClient) else kind.parameters
        found.append(getattr(holder, "model", None))
    return [name for name in found if isinstance(name, str)]


def model_warnings(asked: Iterable[str], details: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What makes scores hard to compare with those of another day.

    Parameters
    ----------
    asked : iterable of str
        The models that the judge's clients ask for.
    details : iterable of mapping
        Details of scored items, whose steps name the models as the endpoint calls them.

    Examples
    --------
    >>> details = [{"steps": [{"model": "m-2026-05-01"}]}]
    >>> model_warnings(["m"], details)[0]
    "judge: the model 'm' is a name for changing models, 'm-2026-05-01' answered; ask for that one"
    >>> model_warnings(["m-2026-05-01"], details)
    ()
    """
    answered: dict[str, set[str]] = {}
    for one in details:
        for step in one.get("steps", ()):
            answered.setdefault(str(step.get("judge", "")), set()).add(str(step["model"]))
    found = [warning for name in dict.fromkeys(asked) for warning in _floating(name, answered)]
    found += [
        f"judge: {len(models)} models answered for one, {_listed(models)}; their scores are "
        "averaged as if they were one's"
        for models in answered.values()
        if len(models) > 1
    ]
    return tuple(dict.fromkeys(found))


def _floating(name: str, answered: Mapping[str, set[str]]) -> Iterator[str]:
    """A warning if a name stands for a model that may be another one some day."""
    # A panel calls its judges like their models, and says where they are if it must.
    own = [models for judge, models in answered.items() if judge.partition(" at ")[0] in ("", name)]
    returned = {model for models in own for model in models}
    dated = {model for model in returned if _is_dated(model, name)}
    if dated or _FLOATING.search(name):
        others = dated or returned - {name}
        told = f", {_listed(others)} answered; ask for that one" if others else ""
        yield f"judge: the model {name!r} is a name for changing models{told}"


def _is_dated(model: str, name: str) -> bool:
    stem = _FLOATING.sub("", name)
    return model.startswith(stem) and bool(_DATED.fullmatch(model[len(stem) :]))


def _listed(models: Iterable[str]) -> str:
    return " and ".join(map(repr, sorted(models)))
