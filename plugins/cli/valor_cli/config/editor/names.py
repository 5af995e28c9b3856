"""Names in the JSON Schema of configs: the components that they select, and their spellings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import frozen

from valor_core.specs import MetricSpec, Registry, Spec
from valor_core.specs.names import folded_name
from valor_core.specs.query import NameQuery

_S = TypeVar("_S", bound=Spec)

_PLACEHOLDERS = {"#": "[1-9][0-9]*", "%": r"([1-9][0-9]?|0?\.[0-9]+)"}
"""Patterns of the placeholders in well-known names, such as ``AR@#``."""
_SEPARATORS = "[_-]*"


@frozen
class Choice:
    """Names that select the same components.

    Parameters
    ----------
    specs : tuple of Spec
        The components: one, or all that share a name without a namespace.
    names : tuple of str
        Canonical names.
    full, bare : frozenset of str
        Normalized names and aliases, with and without a namespace.
    excluded : str, optional
        Parameter that a name sets. The names are all others of the namespace.
    """

    specs: tuple[Spec, ...]
    names: tuple[str, ...] = ()
    full: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    excluded: str | None = None

    @property
    def title(self) -> str:
        """Name of the first component, and the number of others."""
        first, *others = self.specs
        more = f"+{len(others)}" if others else ""
        return f"{first.name}{more}" + (f".{self.excluded}" if self.excluded else "")


def choices_of(
    kind: type[_S], specs: Sequence[_S], task: str | None, registry: Registry
) -> list[Choice]:
    """Return the names that select components, as the registry resolves them.

    Without a task, a name without a namespace selects all components of this name.

    Parameters
    ----------
    kind : type
        Class of the specs.
    specs : sequence of Spec
        The components.
    task : str, optional
        Task, or the namespace that is searched first.
    registry : Registry
        Registry of the components.

    Examples
    --------
    >>> from valor_core.specs import EngineSpec
    >>> choices = choices_of(EngineSpec, [Registry().find(EngineSpec, "local")], None, Registry())
    >>> canonical_names(choices)
    ['local', 'core.local']
    """
    query = NameQuery(kind, "", task)
    is_any = task is None and not kind.searched_globally
    homes = registry.homes(query)
    selected: dict[tuple[str, ...], set[str]] = {(spec.name,): set() for spec in specs}
    for spelling, names in _by_spelling(specs).items():
        found = names
        if not is_any:
            home = next((home for home in homes if _in(home, names)), None)
            found = names if home is None else _in(home, names)
            if len(found) > 1 or (home is None and not query.accepts_only_match):
                continue
        selected.setdefault(tuple(found), set()).add(spelling)
    by_name = {spec.name: spec for spec in specs}
    return [
        choice
        for names, bare in selected.items()
        for choice in _choices([by_name[name] for name in names], bare)
    ]


def _choices(specs: Sequence[Spec], bare: Collection[str]) -> Iterator[Choice]:
    """Yield the choice of components with the spellings of their bare names."""
    named = [spec.short_name for spec in specs if folded_name(spec.short_name) in bare]
    short = list(dict.fromkeys(named))
    if len(specs) > 1:
        yield Choice(tuple(specs), tuple(short), bare=frozenset(bare))
        return
    spec = specs[0]
    full = frozenset(_direct(spec) + _aliases(spec))
    yield Choice((spec,), (*short, spec.name), full, frozenset(bare))
    if isinstance(spec, MetricSpec) and spec.name_parameter:
        yield Choice((spec,), full=full, excluded=spec.name_parameter)


def _direct(spec: Spec) -> list[str]:
    return [folded_name(name) for name in (spec.short_name, *spec.aliases)]


def _aliases(spec: Spec) -> list[str]:
    known = spec.parameter_aliases if isinstance(spec, MetricSpec) else ()
    return [folded_name(alias.name) for alias in known if alias.is_clear]


def _by_spelling(specs: Iterable[Spec]) -> dict[str, list[str]]:
    """Return the names of the components by normalized bare name; names win over aliases."""
    direct: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    for spec in specs:
        for name in dict.fromkeys(_direct(spec)):
            direct.setdefault(name, []).append(spec.name)
        for name in dict.fromkeys(_aliases(spec)):
            aliases.setdefault(name, []).append(spec.name)
    return aliases | direct


def _in(namespace: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.partition(".")[0] == namespace]


def canonical_names(choices: Iterable[Choice]) -> list[str]:
    """Return the canonical names, those without a namespace first."""
    names = dict.fromkeys(name for choice in choices for name in choice.names)
    return sorted(names, key=lambda name: ("." in name, name.casefold()))


def pattern_of(choices: Sequence[Choice], other: str | None = None) -> str:
    """Return the pattern of all names of some choices, or of another text.

    Examples
    --------
    >>> pattern_of([Choice((), bare=frozenset(["f1"]))])
    '^([Ff][_-]*1)$'
    """
    full: dict[str, set[str]] = {}
    parts: list[str] = []
    for choice in choices:
        if not choice.full:
            continue
        namespace = choice.specs[0].namespace
        if choice.excluded:
            excluded = _any_of(choice.full)
            parts.append(rf"{_any_case(namespace)}\.(?!{excluded}(@|$))[^.]+")
            continue
        full.setdefault(namespace, set()).update(choice.full)
        parts += [escaped(one.identity) for one in choice.specs if isinstance(one, MetricSpec)]
    bare = {name for choice in choices for name in choice.bare}
    groups = [("", bare.difference(*full.values()))]
    for namespace, names in full.items():
        space = _any_case(namespace) + r"\."
        groups += [(f"({space})?", names & bare), (space, names - bare)]
    parts += [start + _any_of(frozenset(group)) for start, group in groups if group]
    return f"^({'|'.join([*parts, *([other] if other else [])])})$"


@lru_cache(maxsize=8192)
def _any_of(names: frozenset[str]) -> str:
    """Return a pattern of normalized names that ignores case, underscores and hyphens.

    Names with the same beginning share its pattern, which makes the schema smaller.
    """
    beginning = min(names)
    while not all(name.startswith(beginning) for name in names):
        beginning = beginning[:-1]
    letters = [_PLACEHOLDERS.get(letter) or _any_case(letter) for letter in beginning]
    groups: dict[str, set[str]] = {}
    for name in names:
        if end := name[len(beginning) :]:
            groups.setdefault(end[0], set()).add(end)
    ends = [_any_of(frozenset(groups[letter])) for letter in sorted(groups)]
    if not ends:
        return _SEPARATORS.join(letters)
    rest = ends[0] if len(ends) == 1 else f"({'|'.join(ends)})"
    if letters:
        rest = _SEPARATORS + rest
    return _SEPARATORS.join(letters) + (f"({rest})?" if beginning in names else rest)


@lru_cache(maxsize=1024)
def _any_case(name: str) -> str:
    return "".join(
        f"[{letter.upper()}{letter}]" if letter.isalpha() else escaped(letter) for letter in name
    )


def escaped(text: str) -> str:
    r"""Escape a text for patterns in JavaScript, which reject escapes of other characters.

    Examples
    --------
    >>> escaped("AP@[.5:.95]-x")
    'AP@\\[\\.5:\\.95\\]-x'
    """
    return re.sub(r"[$()*+./?\[\\\]^{|}]", r"\\\g<0>", text)
