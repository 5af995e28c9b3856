"""Normalized names, and aliases that set parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from attrs import field, frozen

from valor_core.errors import ManifestError, short_repr

NUMBER, SHARE = "#", "%"
"""Placeholders in a `ParameterAlias`: a whole number, and a fraction such as ``0.5`` or ``50``.

As the value of a parameter, the matched number.
"""

_PLACEHOLDERS = {NUMBER: "([1-9][0-9]{0,8})", SHARE: r"([1-9][0-9]?|0?\.[0-9]+)"}

_NAMESPACE = re.compile(r"([^\W\d][\w-]*)\.(.+)", re.DOTALL)


@lru_cache(maxsize=4096)
def folded_name(name: str) -> str:
    """Normalize a name for comparison: ignore case, ``_`` and ``-``.

    Examples
    --------
    >>> folded_name("Average-Precision") == folded_name("average_precision")
    True
    """
    return name.casefold().replace("_", "").replace("-", "")


def split_name(name: str) -> tuple[str, str]:
    """Split a name into its namespace, empty for a bare name, and the rest.

    Examples
    --------
    >>> split_name("detection.mAP@0.5"), split_name("mAP@0.5")
    (('detection', 'mAP@0.5'), ('', 'mAP@0.5'))
    """
    parts = _NAMESPACE.fullmatch(name)
    return (parts[1], parts[2]) if parts else ("", name)


def short_name(name: str) -> str:
    """Return the part of a name after the namespace.

    Examples
    --------
    >>> short_name("llm.judge"), short_name("judge")
    ('judge', 'judge')
    """
    return name.rpartition(".")[2]


def is_misspelling(name: str, word: str) -> bool:
    """Return whether a name is a prefix or a probable misspelling of a word.

    An error is an inserted, deleted, substituted or transposed letter. Names of up to four letters
    match only with two letters swapped, since other acronyms are other metrics. Longer names may
    have one error per four letters, at most three: ``negative`` is four errors from ``positive``.

    Examples
    --------
    >>> is_misspelling("BLUE", "BLEU"), is_misspelling("spBLEU", "BLEU")
    (True, False)
    """
    (space, short), (other, long) = split_name(name), split_name(word)
    if space and other and folded_name(space) != folded_name(other):
        return folded_name(short) == folded_name(long)
    one, two = folded_name(short), folded_name(long)
    if len(one) > 1 and two.startswith(one) and len(two) < max(2 * len(one), len(one) + 6):
        return True
    if len(one) == 1:
        return two.startswith(one)
    if len(one) <= _ACRONYM:
        if re.sub(r"(.)\1", r"\1", one) == re.sub(r"(.)\1", r"\1", two):  # a key pressed twice
            return True
        return len(one) == len(two) and sorted(one) == sorted(two) and _errors(one, two) == 1
    return _errors(one, two) <= min(_MOST_ERRORS, max(1, len(one) // 4))


_ACRONYM = 4
_MOST_ERRORS = 3


def _errors(one: str, two: str) -> int:
    """Return the Damerau-Levenshtein distance of two words."""
    before: list[int] = []
    last = [*range(len(two) + 1)]
    for i, letter in enumerate(one, 1):
        now = [i]
        for j, other in enumerate(two, 1):
            cost = min(last[j] + 1, now[-1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        before, last = last, now
    return int(last[-1])


def _check_parameters(instance: ParameterAlias, attribute: Any, value: object) -> None:
    if not isinstance(value, Mapping) or not value:
        raise ManifestError(
            f"parameter_aliases {instance.name!r}: expected parameters, got {short_repr(value)}"
        )
    for mark in _PLACEHOLDERS:
        if (instance.name.count(mark), list(value.values()).count(mark)) not in ((0, 0), (1, 1)):
            raise ManifestError(
                f"parameter_aliases {instance.name!r}: expected {mark!r} once in the name and "
                "once as a value, or in neither",
                f'Write it as: ParameterAlias("top{mark}", {{"top_k": "{mark}"}})',
            )


@frozen
class ParameterAlias:
    """Alias of a metric that also sets parameters.

    Parameters
    ----------
    name : str
        The alias. ``#`` matches a whole number, ``%`` a fraction such as ``0.5`` or ``50``. Case,
        ``_`` and ``-`` are ignored.
    parameters : mapping of str to value
        Parameters that it sets. ``"#"`` and ``"%"`` are replaced by the number in the name.
    is_clear : bool
        Whether the alias is unambiguous. An ambiguous alias raises an error that shows how to
        write the metric.

    Examples
    --------
    >>> ParameterAlias("top#_accuracy", {"top_k": "#"}).meaning("top-5-accuracy")
    {'top_k': 5}
    >>> ParameterAlias("mAP%", {"iou_thresholds": "%"}).meaning("mAP50")
    {'iou_thresholds': 0.5}
    """

    name: str
    parameters: Mapping[str, Any] = field(validator=_check_parameters, hash=False)
    is_clear: bool = True

    def meaning(self, name: str) -> dict[str, Any] | None:
        """Return the parameters that a bare name sets, or None if it does not match."""
        found = _pattern(folded_name(self.name)).fullmatch(folded_name(name))
        if found is None:
            return None
        return {key: _value(value, found) for key, value in self.parameters.items()}


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    pattern = re.escape(name)
    for mark, written in _PLACEHOLDERS.items():
        pattern = pattern.replace(re.escape(mark), written)
    return re.compile(pattern)


def _value(value: Any, found: re.Match[str]) -> Any:
    if value == NUMBER:
        return int(found[1])
    if value == SHARE:
        return float(found[1]) if "." in found[1] else int(found[1]) / 100
    return value


def in_config(parameters: Mapping[str, Any]) -> str:
    """Format parameters as in a config.

    Examples
    --------
    >>> in_config({"average": "macro", "iou_thresholds": [0.5]})
    'average: macro, iou_thresholds: [0.5]'
    """
    return ", ".join(
        f"{key}: {value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in parameters.items()
    )
