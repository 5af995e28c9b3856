"""Faults of verdicts and ratings: short lists, wrong ids and unknown words.

They act on lists of verdicts, whose length is known, and on ratings. A list of claims that is one
short cannot be told from a right one by anybody.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from endpoint.reply_faults import REPLY_FAULTS, Change, Said, reply_fault, with_value

Rows = list[dict[str, Any]]


def _lists(value: Any) -> Iterator[tuple[str, Rows]]:
    for key, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, list) and one and isinstance(one[0], dict) and "verdict" in one[0]:
            yield key, one


def of_rows(name: str, needs: str = "verdict", least: int = 1) -> Callable[[Any], Change]:
    """Declare a fault of the lists of verdicts whose rows have a key and that are long enough."""

    def declare(change: Callable[[Rows], Any]) -> Change:
        def on(said: Said) -> Said | None:
            value = copy.deepcopy(said.value)
            found = [(key, rows) for key, rows in _lists(value) if needs in rows[0]]
            if not any(len(rows) >= least for _, rows in found):
                return None
            for key, rows in found:
                if len(rows) >= least:
                    value[key] = change(rows)
            return with_value(said, value)

        REPLY_FAULTS[name] = on
        return on

    return declare


def _other(verdict: Any) -> Any:
    """The contrary of a verdict."""
    if isinstance(verdict, bool | int):
        return type(verdict)(not verdict)
    return {"yes": "no", "Yes": "No"}.get(verdict, "yes")


def _word(change: Callable[[Any], Any]) -> Callable[[Rows], Rows]:
    return lambda rows: [row | {"verdict": change(row["verdict"])} for row in rows]


def _id(change: Callable[[int], Any]) -> Callable[[Rows], Rows]:
    return lambda rows: [row | {"id": change(row["id"])} for row in rows]


def _renamed(old: str, new: str) -> Callable[[Rows], Rows]:
    return lambda rows: [{new if key == old else key: row[key] for key in row} for row in rows]


# ---- counts

of_rows("one_short", least=2)(lambda rows: rows[:-1])
of_rows("one_too_many")(lambda rows: [*rows, _next(rows)])
of_rows("no_verdicts")(lambda rows: [])
of_rows("only_the_first", least=2)(lambda rows: rows[:1])


def _next(rows: Rows) -> dict[str, Any]:
    last = rows[-1] | {"verdict": _other(rows[-1]["verdict"])}
    return last | ({"id": last["id"] + 1} if "id" in last else {})


# ---- ids

of_rows("duplicate_id_same_verdict", "id")(lambda rows: [*rows, rows[0]])
of_rows("duplicate_id_contradicting", "id")(
    lambda rows: [*rows, rows[0] | {"verdict": _other(rows[0]["verdict"])}]
)
of_rows("one_id_for_all", "id", 2)(lambda rows: [row | {"id": rows[0]["id"]} for row in rows])
of_rows("ids_out_of_range", "id")(_id(lambda number: number + 1000))
of_rows("one_id_out_of_range", "id")(lambda rows: [*rows[:-1], rows[-1] | {"id": 1000}])
of_rows("ids_from_zero", "id")(_id(lambda number: number - 1))
of_rows("ids_as_text", "id")(_id(str))
of_rows("ids_as_floats", "id")(_id(float))
of_rows("ids_as_words", "id")(_id(lambda number: f"claim {number}"))
of_rows("ids_null", "id")(_id(lambda number: None))
of_rows("ids_missing", "id")(lambda rows: [_without(row, "id") for row in rows])
of_rows("one_id_missing", "id", 2)(lambda rows: [*rows[:-1], _without(rows[-1], "id")])
of_rows("other_order", least=2)(lambda rows: rows[::-1])
of_rows("ids_missing_and_one_short", "id", 2)(
    lambda rows: [_without(row, "id") for row in rows[:-1]]
)


def _without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: one for name, one in row.items() if name != key}


# ---- words

of_rows("wrong_case")(_word(lambda verdict: str(verdict).upper()))
of_rows("verdict_with_period")(_word(lambda verdict: f"{verdict}."))
of_rows("verdict_unknown")(_word(lambda verdict: "maybe"))
of_rows("one_verdict_unknown")(lambda rows: [*rows[:-1], rows[-1] | {"verdict": "partly"}])
of_rows("verdict_hedged")(_word(lambda verdict: f"{verdict}, or perhaps {_other(verdict)}"))
of_rows("verdict_as_boolean")(_word(lambda verdict: verdict in ("yes", 1)))
of_rows("verdict_null")(_word(lambda verdict: None))
of_rows("verdict_as_list")(_word(lambda verdict: [verdict]))
of_rows("verdict_missing", least=2)(lambda rows: [*rows[:-1], _without(rows[-1], "verdict")])
of_rows("key_reason", "analysis")(_renamed("analysis", "reason"))
of_rows("key_answer")(_renamed("verdict", "answer"))
of_rows("capital_keys_of_rows")(
    lambda rows: [{key.capitalize(): one for key, one in row.items()} for row in rows]
)
of_rows("verdict_in_bold")(_word(lambda verdict: f"**{verdict}**"))
of_rows("verdict_negated")(_word(lambda verdict: f"not {verdict}"))
of_rows("ids_shifted", "id", 2)(_id(lambda number: number + 1))
of_rows("id_as_boolean", "id")(lambda rows: [rows[0] | {"id": True}, *rows[1:]])
of_rows("ids_in_text", "id")(_id(lambda number: f"{number} of 9"))
of_rows("bare_words")(lambda rows: [row["verdict"] for row in rows])
of_rows("rows_as_text")(lambda rows: [json.dumps(row) for row in rows])
of_rows("null_row")(lambda rows: [*rows[:-1], None])
of_rows("mapping_by_id", "id")(lambda rows: {str(row["id"]): row["verdict"] for row in rows})


@reply_fault("duplicate_keys_of_rows")
def _duplicate_keys(said: Said) -> Said | None:
    if said.text is None or not any(_lists(said.value)):
        return None
    words = [row["verdict"] for _, rows in _lists(said.value) for row in rows]
    text = said.text
    for word in dict.fromkeys(words):
        written, other = json.dumps(word), json.dumps(_other(word))
        text = text.replace(f'"verdict": {written}', f'"verdict":  {written}, "verdict":  {other}')
    return replace(said, text=text)


@reply_fault("draft_before_answer")
def _draft(said: Said) -> Said | None:
    draft = contrary(said)
    return draft and replace(said, text=f"Draft: {draft}\nOn reflection: {said.text}")


@reply_fault("thinking_before_answer")
def _thinking(said: Said) -> Said | None:
    draft = contrary(said)
    return draft and replace(said, text=f"<think>Maybe {draft}? No.</think>\n{said.text}")


def contrary(said: Said) -> str | None:
    """The text of an answer that says the contrary."""
    value = copy.deepcopy(said.value)
    if not any(_lists(value)):
        return None
    for _, rows in _lists(value):
        for row in rows:
            row["verdict"] = _other(row["verdict"])
    return json.dumps(value)


@reply_fault("one_object_each")
def _one_object_each(said: Said) -> Said | None:
    rows = [(key, row) for key, found in _lists(said.value) for row in found]
    text = "\n".join(json.dumps({key: [row]}) for key, row in rows)
    return replace(said, text=text) if len(rows) > 1 else None


# ---- ratings


def _of_rating(name: str, change: Callable[[Any], Any]) -> None:
    def on(said: Said) -> Said | None:
        if not isinstance(said.value, dict) or "rating" not in said.value:
            return None
        return with_value(said, said.value | {"rating": change(said.value["rating"])})

    REPLY_FAULTS[name] = on


_of_rating("rating_as_text", str)
_of_rating("rating_as_float", lambda rating: float(rating) if isinstance(rating, int) else rating)
_of_rating("rating_between", lambda rating: 1.5)
_of_rating("rating_as_word", lambda rating: "three")
_of_rating("rating_out_of_scale", lambda rating: 7)
_of_rating("rating_negative", lambda rating: -1)
_of_rating("rating_as_boolean", lambda rating: True)
_of_rating("rating_null", lambda rating: None)
_of_rating("rating_of_ten", lambda rating: f"{rating} out of 10")
_of_rating("rating_as_list", lambda rating: [rating])
_of_rating("rating_as_range", lambda rating: f"1-{rating}")
_of_rating("rating_as_fraction", lambda rating: f"{rating}/5")


@reply_fault("rating_twice")
def _rating_twice(said: Said) -> Said | None:
    if not isinstance(said.value, dict) or "rating" not in said.value:
        return None
    return replace(said, text=f'{{"rating": 3, "analysis": "So-so.", {(said.text or "")[1:]}')


@reply_fault("rating_in_prose")
def _rating_in_prose(said: Said) -> Said | None:
    if not isinstance(said.value, dict) or "rating" not in said.value:
        return None
    return replace(said, text=f"On a scale from 1 to 5, I would say {said.value['rating']}")


@reply_fault("rating_bare")
def _rating_bare(said: Said) -> Said | None:
    if not isinstance(said.value, dict) or "rating" not in said.value:
        return None
    return replace(said, text=str(said.value["rating"]))
