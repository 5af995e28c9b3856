"""Answers of the lexical client: rules for the steps of this package, and one for other steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from valor_llm.lexical.comparison import Evidence, compared
from valor_llm.lexical.words import (
    Words,
    begins_with,
    cues_in,
    sentences,
    statements,
    stem,
    words_of,
)

Data = Mapping[str, Any]
"""Data of a step: texts and lists of texts by field."""

StandIn = Callable[[Data], dict[str, Any]]
"""Answers a step from its data, without a model."""

Verdict = tuple[str, str]
"""Verdict and analysis."""

Share = tuple[float, str]
"""Share from 0 to 1, and its meaning."""

VerdictRule = Callable[[str, Data], Verdict]
"""Returns the verdict on one text."""

ShareRule = Callable[[Data], Share]
"""Returns the share that a rating depends on."""

HALF = 0.5
_ASKING = frozenset(map(stem, words_of("questions")))


# ---- forms of a reply


def listing(key: str, field: str, select: Callable[[str], Sequence[str]] = statements) -> StandIn:
    """Return a stand-in that selects sentences of a text.

    Examples
    --------
    >>> listing("claims", "response")({"response": "It rains. Why?"})
    {'claims': ['It rains.']}
    """
    return lambda data: {key: list(select(data[field]))}


def judging(field: str, verdict: VerdictRule, key: str = "verdicts") -> StandIn:
    """Return a stand-in that judges the texts of a list one by one."""
    return lambda data: {
        key: [
            {"id": number, "analysis": analysis, "verdict": word}
            for number, (word, analysis) in enumerate((verdict(t, data) for t in data[field]), 1)
        ]
    }


def rating(grades: Sequence[Any], rule: ShareRule) -> StandIn:
    """Return a stand-in that converts the share of a rule to a grade."""

    def stand_in(data: Data) -> dict[str, Any]:
        share, of = rule(data)
        return {"analysis": f"{share:.0%} of {of}", "rating": graded(share, grades)}

    return stand_in


def graded(share: float, grades: Sequence[Any]) -> Any:
    """Return the grade of a share: the lowest for 0, the highest for 1, the others equally spaced.

    With two grades, the higher one begins at a half.

    Examples
    --------
    >>> [graded(share, (1, 2, 3, 4, 5)) for share in (0, 0.1, 0.5, 0.9, 1)]
    [1, 2, 3, 4, 5]
    >>> graded(0.5, ("no", "yes"))
    'yes'
    """
    last = len(grades) - 1
    if last < 2:
        return grades[last if share >= HALF else 0]
    if share in (0, 1):
        return grades[last * int(share)]
    return grades[1 + min(int(share * (last - 1)), last - 2)]


# ---- verdicts


def backed(text: str, data: Data) -> Verdict:
    """Judge if the contexts support a text."""
    return _backed(text, data["contexts"])


def matched(data: Data) -> dict[str, Any]:
    """Judge the statements of response and reference, each by the other text."""
    lists = {"response": "response_statements", "reference": "reference_statements"}
    opposite = {"response": "reference_statements", "reference": "response_statements"}
    found: dict[str, Any] = {}
    for side, field in lists.items():
        other = data[opposite[side]]
        verdict = partial(_by_sources, sources=other)
        found |= judging(field, verdict, side)(data)
    return found


def relevant(text: str, data: Data) -> Verdict:
    """Judge if a statement shares a word with the query."""
    content = Words.of(text).content
    asked = Words.of(data["query"]).content.keys() - _ASKING
    shared = [word for key, word in content.items() if key in asked]
    if shared:
        return "yes", f"It shares with the query: {', '.join(shared)}"
    if len(content) <= 3:
        return "idk", "It shares no word with the query, and is too short to be about another thing"
    return "no", "It shares no word with the query"


def answers_query(text: str, data: Data) -> Verdict:
    """Judge if a context has half of the words of the query."""
    share = _asked_share(data["query"], text)
    return ("yes" if share >= HALF else "no"), f"It has {share:.0%} of the query's words"


def useful(text: str, data: Data) -> Verdict:
    """Judge if a context supports a sentence of the reference."""
    for statement in sentences(data["reference"]):
        found = compared(statement, [text], data["query"])
        if found.is_backed:
            return "yes", found.analysis
    return "no", "It backs no sentence of the reference"


def contradicted(text: str, data: Data) -> Verdict:
    """Judge if a sentence of the response contradicts a context."""
    for statement in statements(data["response"]):
        found = compared(statement, [text])
        if found.outcome == "contradicted":
            return "yes", found.analysis
    return "no", "No sentence of the response speaks against it"


def opinions(text: str) -> list[str]:
    """Return the sentences of a text with a word that expresses an opinion."""
    return [one for one in statements(text) if cues_in(one, "opinion", "toxic")]


def biased(text: str, data: Data) -> Verdict:
    """Judge if an opinion combines a group of people with a sweeping word."""
    groups, sweeping = cues_in(text, "group"), cues_in(text, "sweeping")
    if groups and sweeping:
        return "yes", f"It speaks of {groups[0]} and says {sweeping[0]}"
    return "no", "It judges no group that is listed"


def toxic(text: str, data: Data) -> Verdict:
    """Judge if an opinion has an insult."""
    found = cues_in(text, "toxic")
    return ("yes", f"It says {found[0]}") if found else ("no", "It has no insult that is listed")


# ---- ratings


def accuracy(data: Data) -> Share:
    """Rate which share of the reference the response supports."""
    share = _share_backed(sentences(data["reference"]), [data["response"]], data["query"])
    return share, "the reference's sentences stand in the response"


def query_coverage(data: Data) -> Share:
    """Rate which share of the query's words the contexts have."""
    share = _asked_share(data["query"], "\n".join(data["contexts"]))
    return share, "the query's words stand in the contexts"


def groundedness(data: Data) -> Share:
    """Rate which share of the response the contexts support."""
    share = _share_backed(statements(data["response"]), data["contexts"])
    return share, "the response's sentences stand in the contexts"


def coherent(data: Data) -> Share:
    """Rate the coherence of a text."""
    return coherence(data["text"]), "the sentences follow from the one before"


def coherent_summary(data: Data) -> Share:
    """Rate the coherence of a summary, and its support by the source."""
    summary = data["summary"]
    share = coherence(summary) * _share_backed(sentences(summary), [data["source"]])
    return share, "its sentences follow from the one before and from the source"


def by_criteria(data: Data) -> Share:
    """Rate by a rubric: support of the response by a source, or coherence."""
    if "response" not in data or len(data) == 1:
        return coherent({"text": "\n".join(texts_of(data))})
    for name in ("references", "contexts", "query"):
        if name in data:
            sources = [data[name]] if isinstance(data[name], str) else data[name]
            share = _share_backed(statements(data["response"]), sources)
            return share, f"the response's sentences stand in: {name}"
    return backed_share(data), "the last text's sentences stand in the others"


def coherence(text: str) -> float:
    """Return the share of sentences that follow from the one before.

    A sentence follows if it shares a word with the one before or begins with a linking word, and
    does not repeat it. A single sentence is coherent, an empty text is not.

    Examples
    --------
    >>> coherence("Bread needs flour. Flour is milled from grain. My uncle had a boat.")
    0.5
    """
    parts = sentences(text)
    if len(parts) < 2:
        return float(len(parts))
    return sum(_follows(one, other) for one, other in pairwise(parts)) / (len(parts) - 1)


def _follows(before: str, after: str) -> bool:
    one, other = Words.of(before), Words.of(after)
    if one == other:
        return False
    is_linked = begins_with(after, "linking")
    return bool(one.content.keys() & other.content.keys()) or is_linked


def _backed(text: str, sources: Sequence[str], given: str = "") -> Verdict:
    found = compared(text, sources, given)
    return ("yes" if found.is_backed else "no"), found.analysis


def _by_sources(text: str, data: Data, sources: Sequence[str]) -> Verdict:
    return _backed(text, sources, data["query"])


def _asked_share(query: str, context: str) -> float:
    asked = Words.of(query).content.keys() - _ASKING
    return len(asked & Words.of(context).content.keys()) / len(asked) if asked else 0.0


def _share_backed(texts: Sequence[str], sources: Sequence[str], given: str = "") -> float:
    found = sum(compared(text, sources, given).is_backed for text in texts)
    return found / len(texts) if texts else 0.0


# ---- steps without a stand-in


def fitting(schema: Mapping[str, Any], data: Data) -> Any:
    """Return a value that fits a schema, by the words that the last text shares with earlier ones.

    Lists of objects with an ``id`` judge the last lists of the data, plain lists have the sentences
    of the last text, and a choice depends on the share of it that the earlier texts
    support.
    """
    if "properties" in schema:
        lists = [name for name, value in data.items() if not isinstance(value, str)]
        numbered = [key for key, part in schema["properties"].items() if _ids(part) is not None]
        about = dict(zip(reversed(numbered), reversed(lists), strict=False))
        return {
            key: _listed(part, data, about[key]) if key in about else fitting(part, data)
            for key, part in schema["properties"].items()
        }
    choices = schema.get("enum")
    if choices is not None:
        return graded(backed_share(data), choices)
    kind = schema.get("type")
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        items = statements(texts_of(data)[-1]) if data else []
        if schema.get("items", {}).get("type", "string") != "string":
            items = [fitting(schema["items"], data)] * max(least, 1)
        return [*items, *[""] * (least - len(items))][:most]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + backed_share(data) * (high - low)
        return round(value) if kind == "integer" else value
    if kind == "boolean":
        return backed_share(data) >= HALF
    return None if kind == "null" else "By the words that the texts share"


def texts_of(data: Data) -> list[str]:
    """Return each value of the data as one text."""
    return [one if isinstance(one, str) else "\n".join(one) for one in data.values()]


def backed_share(data: Data) -> float:
    """Return the share of sentences of the last text that the earlier texts support."""
    *sources, last = texts_of(data) or [""]
    return _share_backed(sentences(last), sources)


def _ids(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema of the ids of a list of objects, or None."""
    found: Mapping[str, Any] | None = schema.get("items", {}).get("properties", {}).get("id")
    return found


def _listed(schema: Mapping[str, Any], data: Data, name: str) -> list[dict[str, Any]]:
    """Return an entry for each requested item of a list of the data."""
    sources = [one for key, one in zip(data, texts_of(data), strict=True) if key != name]
    wanted = (_ids(schema) or {}).get("enum", range(1, len(data[name]) + 1))
    found = []
    for number in wanted:
        outcome = compared(data[name][number - 1], sources)
        entry = {key: _worded(part, outcome) for key, part in schema["items"]["properties"].items()}
        found.append(entry | {"id": number})
    return found


def _worded(schema: Mapping[str, Any], outcome: Evidence) -> Any:
    words = schema.get("enum")
    if words is None:
        return outcome.analysis
    if "yes" in words and "no" in words:
        return "yes" if outcome.is_backed else "no"
    return words[0] if outcome.is_backed else words[-1]
