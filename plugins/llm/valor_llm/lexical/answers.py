"""Answers of the lexical rules, step by step, and one for steps that nobody has foreseen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from valor_llm.lexical.comparison import (
    GROUP,
    LINKING,
    OPINION,
    SWEEPING,
    TOXIC,
    Comparison,
    compared,
    cues_in,
)
from valor_llm.lexical.words import (
    QUESTION_WORDS,
    Words,
    is_statement,
    sentences,
    statements,
    stem,
    tokens,
)


def coherence(text: str) -> float:
    """Share of the sentences that follow from the one before.

    One follows that shares a word with it or begins with a linking word, and does not repeat it. A
    single sentence is coherent, no sentence is not.

    Examples
    --------
    >>> coherence("Bread needs flour. Flour is milled from grain. My uncle had a boat.")
    0.5
    """
    own = sentences(text)
    if len(own) < 2:
        return float(len(own))
    return sum(_follows(one, other) for one, other in pairwise(own)) / (len(own) - 1)


def _follows(before: str, after: str) -> bool:
    one, other = Words.of(before), Words.of(after)
    if one == other:
        return False
    return (
        bool(one.content.keys() & other.content.keys()) or next(iter(tokens(after)), "") in LINKING
    )


Data = Mapping[str, Any]
"""What a step is asked about: texts, and lists of texts."""

HALF = 0.5


def fitting(schema: Mapping[str, Any], data: Data) -> Any:
    """A value that fits a schema, by what the last of some texts shares with the others.

    Lists of objects with an ``id`` are about the last lists of the data, other lists are the
    sentences of its last text, and a choice is by how much of that the other texts back.
    """
    if "properties" in schema:
        lists = [name for name, value in data.items() if not isinstance(value, str)]
        numbered = [key for key, part in schema["properties"].items() if _ids(part) is not None]
        about = dict(zip(reversed(numbered), reversed(lists), strict=False))
        return {
            key: _listed(part, data, about[key]) if key in about else fitting(part, data)
            for key, part in schema["properties"].items()
        }
    told = schema.get("enum")
    if told is not None:
        return graded(backed_share(data), told)
    kind = schema.get("type")
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        kept = statements(texts_of(data)[-1]) if data else []
        if schema.get("items", {}).get("type", "string") != "string":
            kept = [fitting(schema["items"], data)] * max(least, 1)
        return [*kept, *[""] * (least - len(kept))][:most]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + backed_share(data) * (high - low)
        return round(value) if kind == "integer" else value
    if kind == "boolean":
        return backed_share(data) >= HALF
    return None if kind == "null" else "By the words that the texts share"


def graded(share: float, grades: Sequence[Any]) -> Any:
    """The grade for a share: the lowest for none, the highest for all, the others in equal parts.

    Of two grades, the higher one begins at a half.

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


def texts_of(data: Data) -> list[str]:
    """Each value of the data as one text."""
    return [one if isinstance(one, str) else "\n".join(one) for one in data.values()]


def backed_share(data: Data) -> float:
    """Which share of the sentences of the last text the others back."""
    *others, last = texts_of(data) or [""]
    own = sentences(last)
    return sum(compared(one, others).is_backed for one in own) / len(own) if own else 0.0


def _ids(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the ids, where a schema is of a list of objects that have some."""
    found: Mapping[str, Any] | None = schema.get("items", {}).get("properties", {}).get("id")
    return found


def _listed(schema: Mapping[str, Any], data: Data, name: str) -> list[dict[str, Any]]:
    """An entry for each item of a list of the data that is asked for."""
    others = [one for key, one in zip(data, texts_of(data), strict=True) if key != name]
    wanted = (_ids(schema) or {}).get("enum", range(1, len(data[name]) + 1))
    found = []
    for number in wanted:
        outcome = compared(data[name][number - 1], others)
        entry = {key: _worded(part, outcome) for key, part in schema["items"]["properties"].items()}
        found.append(entry | {"id": number})
    return found


def _worded(schema: Mapping[str, Any], outcome: Comparison) -> Any:
    """What an entry says: the word for yes where its item is backed, and that for no if not."""
    words = schema.get("enum")
    if words is None:
        return outcome.analysis
    if "yes" in words and "no" in words:
        return "yes" if outcome.is_backed else "no"
    return words[0] if outcome.is_backed else words[-1]


_ASKING = frozenset(map(stem, QUESTION_WORDS))


def answer(step: str, data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    """What the rules answer to a step: an object that fits its schema.

    Parameters
    ----------
    step : str
        The step's name.
    data : mapping of str to str or sequence of str
        What it is asked about.
    schema : mapping
        JSON Schema of the reply.

    Examples
    --------
    >>> answer("claims", {"response": "It rains. Why?"}, {})
    {'claims': ['It rains.']}
    """
    rules = _RULES.get(step)
    return fitting(schema, data) if rules is None else rules(data, schema)


_Verdict = tuple[str, str]
"""The verdict and its analysis."""


def _verdicts(items: Iterable[_Verdict]) -> list[dict[str, Any]]:
    return [
        {"id": number, "analysis": analysis, "verdict": verdict}
        for number, (verdict, analysis) in enumerate(items, 1)
    ]


def _backed(statement: str, sources: Sequence[str], given: str = "") -> _Verdict:
    found = compared(statement, sources, given)
    return ("yes" if found.is_backed else "no"), found.analysis


def _opinion(sentence: str) -> bool:
    return is_statement(sentence) and bool(cues_in(sentence, OPINION | TOXIC))


def _biased(opinion: str) -> _Verdict:
    groups, sweeping = cues_in(opinion, GROUP), cues_in(opinion, SWEEPING)
    if groups and sweeping:
        return "yes", f"It speaks of {groups[0]} and says {sweeping[0]}"
    return "no", "It judges no group that is listed"


def _toxic(opinion: str) -> _Verdict:
    found = cues_in(opinion, TOXIC)
    return ("yes", f"It says {found[0]}") if found else ("no", "It has no insult that is listed")


def _relevant(statement: str, query: str) -> _Verdict:
    own, asked = Words.of(statement).content, Words.of(query).content.keys() - _ASKING
    shared = [word for one, word in own.items() if one in asked]
    if shared:
        return "yes", f"It shares with the query: {', '.join(shared)}"
    if len(own) <= 3:
        return "idk", "It shares no word with the query, and is too short to be about another thing"
    return "no", "It shares no word with the query"


def _asked_share(query: str, context: str) -> float:
    asked = Words.of(query).content.keys() - _ASKING
    return len(asked & Words.of(context).content.keys()) / len(asked) if asked else 0.0


def _for_query(context: str, query: str) -> _Verdict:
    share = _asked_share(query, context)
    return ("yes" if share >= HALF else "no"), f"It has {share:.0%} of the query's words"


def _useful(context: str, reference: str, query: str) -> _Verdict:
    for statement in sentences(reference):
        found = compared(statement, [context], query)
        if found.is_backed:
            return "yes", found.analysis
    return "no", "It backs no sentence of the reference"


def _contradicted(context: str, response: str) -> _Verdict:
    for statement in statements(response):
        found = compared(statement, [context])
        if found.outcome == "contradicted":
            return "yes", found.analysis
    return "no", "No sentence of the response speaks against it"


def _share_backed(texts: Sequence[str], sources: Sequence[str], given: str = "") -> float:
    backed = sum(compared(text, sources, given).is_backed for text in texts)
    return backed / len(texts) if texts else 0.0


def _rated(share: float, schema: Mapping[str, Any], of: str) -> dict[str, Any]:
    grades = schema["properties"]["rating"]["enum"]
    return {"analysis": f"{share:.0%} of {of}", "rating": graded(share, grades)}


def _accuracy(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    share = _share_backed(sentences(data["reference"]), [data["response"]], data["query"])
    return _rated(share, schema, "the reference's sentences stand in the response")


def _context_relevance(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    share = _asked_share(data["query"], "\n".join(data["contexts"]))
    return _rated(share, schema, "the query's words stand in the contexts")


def _groundedness(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    share = _share_backed(statements(data["response"]), data["contexts"])
    return _rated(share, schema, "the response's sentences stand in the contexts")


def _coherence(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    return _rated(coherence(data["text"]), schema, "the sentences follow from the one before")


def _summary_coherence(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    share = coherence(data["summary"]) * _share_backed(sentences(data["summary"]), [data["source"]])
    return _rated(share, schema, "its sentences follow from the one before and from the source")


def _rubric(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    if "response" not in data or len(data) == 1:
        text = "\n".join(texts_of(data))
        return _rated(coherence(text), schema, "the sentences follow from the one before")
    for name in ("references", "contexts", "query"):
        if name in data:
            sources = [data[name]] if isinstance(data[name], str) else data[name]
            share = _share_backed(statements(data["response"]), sources)
            return _rated(share, schema, f"the response's sentences stand in: {name}")
    return _rated(backed_share(data), schema, "the last text's sentences stand in the others")


_Rule = Callable[[Data, Mapping[str, Any]], dict[str, Any]]


def _judging(key: str, items: str, verdict: Callable[[str, Data], _Verdict]) -> _Rule:
    """A rule that judges the items of a list one by one."""
    return lambda data, schema: {key: _verdicts(verdict(one, data) for one in data[items])}


def _matched(data: Data, schema: Mapping[str, Any]) -> dict[str, Any]:
    sides = {"response": data["response_statements"], "reference": data["reference_statements"]}
    others = {"response": sides["reference"], "reference": sides["response"]}
    return {
        side: _verdicts(_backed(one, others[side], data["query"]) for one in texts)
        for side, texts in sides.items()
    }


_RULES: Mapping[str, _Rule] = {
    "claims": lambda data, schema: {"claims": statements(data["response"])},
    "claims_supported": _judging(
        "verdicts", "claims", lambda one, data: _backed(one, data["contexts"])
    ),
    "statements": lambda data, schema: {"statements": statements(data["text"])},
    "statements_attributed": _judging(
        "verdicts", "statements", lambda one, data: _backed(one, data["contexts"])
    ),
    "statements_matched": _matched,
    "statements_relevant": _judging(
        "verdicts", "statements", lambda one, data: _relevant(one, data["query"])
    ),
    "contexts_relevant": _judging(
        "verdicts", "contexts", lambda one, data: _for_query(one, data["query"])
    ),
    "contexts_useful": _judging(
        "verdicts", "contexts", lambda one, data: _useful(one, data["reference"], data["query"])
    ),
    "contexts_contradicted": _judging(
        "verdicts", "contexts", lambda one, data: _contradicted(one, data["response"])
    ),
    "opinions": lambda data, schema: {
        "opinions": [one for one in sentences(data["response"]) if _opinion(one)]
    },
    "opinions_biased": _judging("verdicts", "opinions", lambda one, data: _biased(one)),
    "opinions_toxic": _judging("verdicts", "opinions", lambda one, data: _toxic(one)),
    "answer_accuracy_first": _accuracy,
    "answer_accuracy_second": _accuracy,
    "context_relevance_first": _context_relevance,
    "context_relevance_second": _context_relevance,
    "response_groundedness_first": _groundedness,
    "response_groundedness_second": _groundedness,
    "coherence": _coherence,
    "summary_coherence": _summary_coherence,
    "rubric": _rubric,
}
"""What is answered to the steps of this package, by their names."""
