"""Definition of a metric: its docstring without sections for programmers."""

from __future__ import annotations

import inspect
import re

from valor_core.errors import RegistryError
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.specs import Spec

_SECTION = re.compile(r"(?m)^(\w[\w ]*)\n-{3,}\n")


def definition(spec: Spec) -> str:
    """Import an implementation and return the description and notes of its docstring.

    Parameters
    ----------
    spec : Spec
        Declaration of the metric, reader or other component.

    Returns
    -------
    str
        Paragraphs; empty if the code cannot be imported or has no docstring.

    Examples
    --------
    >>> from valor_core.specs import Registry
    >>> from valor_core.specs import ReaderSpec
    >>> definition(Registry().find(ReaderSpec, "csv")).partition(";")[0]
    'Reader of tables with one item per row'
    """
    try:
        code = spec.load()
    except RegistryError:
        return ""
    if isinstance(spec, FunctionMetricSpec):
        return ""
    text, *sections = _SECTION.split(inspect.getdoc(code) or "")
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    paragraphs = [*text.split("\n\n"), *named.get("Notes", "").split("\n\n")]
    return "\n\n".join(" ".join(part.split()) for part in paragraphs if part.strip())
