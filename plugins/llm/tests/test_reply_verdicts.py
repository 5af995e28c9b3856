"""Verdicts that are read from a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_llm.replies.reading import ParsedReply, Verdict
from valor_llm.replies.shapes import VerdictGroup, VerdictList, Verdicts

SHAPE = Verdicts((VerdictList("verdicts", "claims"),))
THREE = {"claims": ["a", "b", "c"]}
PAIR = Verdicts(
    (VerdictList("response", "ours"), VerdictList("reference", "theirs")),
    (
        VerdictGroup("TP", "response", "yes"),
        VerdictGroup("FP", "response", "no"),
        VerdictGroup("FN", "reference", "no"),
    ),
)


def row(number: Any, verdict: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "analysis": "so", "verdict": verdict, **more}


def reply_of(*rows: Any) -> str:
    return json.dumps({"verdicts": list(rows)})


def words(reading: ParsedReply, key: str = "verdicts") -> dict[int, str]:
    verdicts: Mapping[int, Verdict] = reading.value.get(key, {})
    return {number: one.verdict for number, one in verdicts.items()}


def test_a_reply_as_it_was_asked_for_is_read_with_nothing_overlooked() -> None:
    text = reply_of(row(1, "yes"), row(2, "no"), row(3, "yes"))

    reading = SHAPE.read(text, THREE, None)

    assert reading == ParsedReply(
        {
            "verdicts": {
                1: Verdict(1, "yes", "so"),
                2: Verdict(2, "no", "so"),
                3: Verdict(3, "yes", "so"),
            }
        },
        {"verdicts": ()},
    )
    assert reading.is_complete


@pytest.mark.parametrize(
    ("text", "lenient"),
    [
        (reply_of(row(3, "yes"), row(1, "yes"), row(2, "no")), []),
        (reply_of(row("1", "yes"), row(2.0, "no"), row(3, "yes")), ["other spelling"]),
        (reply_of(row(1, "Yes"), row(2, "NO."), row(3, True)), ["other spelling"]),
        (reply_of(row(1, "yes"), row(2, "no"), row(2, "no"), row(3, "yes")), ["id twice"]),
        (reply_of(row(1, "yes", claim="a"), row(2, "no"), row(3, "yes")), ["further key"]),
        (
            reply_of(*({"reason": "so", "verdict": one} for one in ("yes", "no", "yes"))),
            ["other key", "no ids"],
        ),
        (
            json.dumps(
                [
                    {"ID": 1, "Explanation": "", "answer": "yes"},
                    {"ID": 2, "Explanation": "", "answer": "no"},
                    {"ID": 3, "Explanation": "", "answer": "yes"},
                ]
            ),
            ["list alone", "other key"],
        ),
        (
            json.dumps({"result": {"Verdict": [row(1, "yes"), row(2, "no"), row(3, "yes")]}}),
            ["wrapped", "other key"],
        ),
        (
            json.dumps({"properties": {"verdicts": [row(1, "yes"), row(2, "no"), row(3, "yes")]}}),
            ["wrapped"],
        ),
        (
            reply_of(row(1, "yes"), row(2, "no"), row(3, "yes")) * 2,
            ["text around the JSON"],
        ),
    ],
)
def test_small_deviations_are_tolerated_and_reported(text: str, lenient: list[str]) -> None:
    reading = SHAPE.read(text, THREE, None)

    assert words(reading) == {1: "yes", 2: "no", 3: "yes"}
    assert reading.is_complete
    assert reading.lenient == lenient


@for_each(
    ("text", "kept", "fault"),
    [
        (
            reply_of(row(1, "yes"), row(3, "no")),
            {1: "yes", 3: "no"},
            '"verdicts" has no answer for 2',
        ),
        (
            reply_of(row(1, "yes"), row(2, "maybe"), row(3, "no")),
            {1: "yes", 3: "no"},
            "\"verdicts\": the verdict of 2 must be yes or no, got 'maybe'",
        ),
        (
            reply_of(row(1, "yes"), row(2, None), row(3, "no")),
            {1: "yes", 3: "no"},
            '"verdicts": the verdict of 2 must be yes or no, got None',
        ),
        (
            reply_of(row(1, "yes"), row(2, "no"), row(2, "yes"), row(3, "no")),
            {1: "yes", 3: "no"},
            '"verdicts": 2 has verdicts that differ',
        ),
        (
            reply_of(row(1, "yes"), {"id": 2, "verdict": "no"}, row(3, "no")),
            {1: "yes", 3: "no"},
            '"verdicts": 2 has no analysis',
        ),
        # One number that cannot be right puts the others in doubt.
        (
            reply_of(row(0, "yes"), row(1, "yes"), row(2, "no")),
            {},
            '"verdicts" has the id 0 where there are ids 1 to 3',
        ),
        (
            reply_of(row(1, "yes"), row(2, "yes"), row(3, "no"), row(4, "no")),
            {},
            '"verdicts" has the id 4 where there are ids 1 to 3',
        ),
        (
            reply_of(row("b", "yes"), row(2, "yes"), row(3, "no")),
            {},
            "\"verdicts\" has the id 'b' where there are ids 1 to 3",
        ),
        (
            reply_of(row("0000000012", "yes"), row(2, "yes"), row(3, "no")),
            {},
            "\"verdicts\" has the id '0000000012' where there are ids 1 to 3",
        ),
        (
            reply_of(row(True, "yes")),
            {},
            '"verdicts" has the id True where there are ids 1 to 3',
        ),
        (
            reply_of({"analysis": "so", "verdict": "yes"}, row(2, "yes"), row(3, "no")),
            {},
            '"verdicts" has 1 entries without an id beside others with one',
        ),
        (
            reply_of(*[{"analysis": "so", "verdict": "yes"}] * 2),
            {},
            '"verdicts" has 2 entries without ids where 3 were asked',
        ),
        (reply_of("yes", "no", "yes"), {}, "\"verdicts\" must be a list of objects, got 'yes'"),
        (json.dumps({"verdicts": "yes"}), {}, "\"verdicts\" must be a list, got 'yes'"),
    ],
)
def test_what_is_wrong_is_asked_for_again_and_the_rest_is_kept(
    text: str, kept: dict[int, str], fault: str
) -> None:
    reading = SHAPE.read(text, THREE, None)

    assert words(reading) == kept
    assert reading.missing["verdicts"] == tuple({1, 2, 3} - set(kept))
    assert reading.fault == fault
    assert not reading.unfit


@pytest.mark.parametrize(
    ("text", "unfit"),
    [
        ("They are all fine.", "it has no JSON object"),
        ('{"answers": []}', 'its JSON has no "verdicts"'),
        ("{}", 'its JSON has no "verdicts"'),
        (
            json.dumps(SHAPE.schema(THREE, None)),
            "it repeats the schema instead of following it",
        ),
        (
            json.dumps({"name": "claims", "schema": SHAPE.schema(THREE, None)}),
            "it repeats the schema instead of following it",
        ),
    ],
)
def test_reply_of_another_form_is_distinguished_from_one_with_mistakes(
    text: str, unfit: str
) -> None:
    reading = SHAPE.read(text, THREE, None)

    assert reading.unfit == unfit
    assert reading.problems == [unfit]
    assert SHAPE.read(text, THREE, None, cut=True).unfit == ""


def test_two_answers_that_differ_are_none() -> None:
    first = reply_of(row(1, "yes"), row(2, "no"), row(3, "yes"))
    second = reply_of(row(1, "yes"), row(2, "no"), row(3, "no"))

    reading = SHAPE.read(f"{first} Or rather: {second}", THREE, None)

    assert reading.value == {}
    assert reading.problems == ["it has 2 answers that differ"]


def test_only_what_is_missing_is_asked_for_again_and_what_was_valid_stays() -> None:
    first = SHAPE.read(reply_of(row(1, "yes"), row("3", "no")), THREE, None)

    schema = SHAPE.schema(THREE, first.missing)["properties"]["verdicts"]
    assert schema["items"]["properties"]["id"]["enum"] == [2]
    assert (schema["minItems"], schema["maxItems"]) == (1, 1)

    second = SHAPE.read("I cannot.", THREE, first)
    assert second.missing == {"verdicts": (2,)}
    assert words(second) == {1: "yes", 3: "no"}

    third = SHAPE.read(reply_of(row(2, "no")), THREE, second)
    assert words(third) == {1: "yes", 2: "no", 3: "no"}
    assert third.is_complete
    assert third.lenient == ["other spelling"]


def test_a_repair_that_counts_anew_is_not_taken_for_other_items() -> None:
    """Items 2 and 4 are missing; a model that renumbers them 1 and 2 means other items by 2."""
    data = {"claims": ["a", "b", "c", "d"]}
    known = SHAPE.read(reply_of(row(1, "yes"), row(3, "yes")), data, None)

    anew = SHAPE.read(reply_of(row(1, "yes"), row(2, "no")), data, known)

    assert words(anew) == {1: "yes", 3: "yes"}
    assert anew.fault == '"verdicts" has the id 1, which was not asked for'


def test_a_repair_that_repeats_all_changes_only_what_was_missing() -> None:
    known = SHAPE.read(reply_of(row(1, "yes"), row(3, "yes")), THREE, None)

    repeated = SHAPE.read(reply_of(row(1, "no"), row(2, "no"), row(3, "no")), THREE, known)

    assert words(repeated) == {1: "yes", 2: "no", 3: "yes"}
    assert repeated.lenient == ["not asked for"]


def test_a_repair_without_ids_is_taken_in_the_order_of_what_is_missing() -> None:
    known = SHAPE.read(reply_of(row(2, "yes")), THREE, None)
    entries = [{"analysis": "so", "verdict": word} for word in ("no", "yes")]

    repaired = SHAPE.read(reply_of(*entries), THREE, known)

    assert words(repaired) == {1: "no", 2: "yes", 3: "yes"}


def test_of_two_lists_only_the_one_that_lacks_something_is_asked_for_again() -> None:
    data = {"ours": ["a", "b"], "theirs": ["c"]}
    text = {"response": [row(1, "yes"), row(2, "no")], "reference": []}
    known = PAIR.read(json.dumps(text), data, None)

    assert known.missing == {"response": (), "reference": (1,)}
    assert list(PAIR.schema(data, known.missing)["properties"]) == ["reference"]

    done = PAIR.read(json.dumps({"reference": [row(1, "yes")]}), data, known)
    assert done.is_complete
    assert words(done, "response") == {1: "yes", 2: "no"}
    assert words(done, "reference") == {1: "yes"}


def test_a_list_that_is_not_there_is_asked_for_and_the_other_kept() -> None:
    data = {"ours": ["a"], "theirs": ["c"]}

    reading = PAIR.read(json.dumps({"response": [row(1, "yes")]}), data, None)

    assert words(reading, "response") == {1: "yes"}
    assert reading.missing == {"response": (), "reference": (1,)}
    assert reading.fault == '"reference" is missing'


def grouped(**groups: Any) -> ParsedReply:
    data = {"ours": ["v", "w", "x"], "theirs": ["y", "z"]}
    return PAIR.read(json.dumps(groups), data, None)


def test_texts_by_verdict_are_found_among_the_items() -> None:
    reading = grouped(TP=["x"], FP=["W ", "v"], FN=["z"])

    assert words(reading, "response") == {1: "no", 2: "no", 3: "yes"}
    assert words(reading, "reference") == {1: "yes", 2: "no"}
    assert reading.is_complete
    assert reading.lenient == ["texts by verdict"]


def test_other_texts_by_verdict_are_counted() -> None:
    reading = grouped(TP=["something", "else"], FP=["x"], FN=[])

    assert words(reading, "response") == {1: "yes", 2: "yes", 3: "no"}
    assert words(reading, "reference") == {1: "yes", 2: "yes"}


@pytest.mark.parametrize(
    ("groups", "fault"),
    [
        (
            {"TP": ["x"], "FP": [], "FN": []},
            '"response" has 1 texts by verdict where there are 3 items',
        ),
        (
            {"TP": ["x"], "FP": ["v", "w"], "FN": ["y", "z", "y"]},
            '"reference" has 3 texts by verdict where there are 2 items',
        ),
        (
            {"TP": ["x"], "FP": ["v", "w"]},
            '"reference" must be lists of texts by verdict, or verdicts with ids',
        ),
        (
            {"TP": [1], "FP": ["v", "w"], "FN": []},
            '"response" must be lists of texts by verdict, or verdicts with ids',
        ),
    ],
)
def test_texts_by_verdict_have_to_be_as_many_as_the_items(
    groups: dict[str, Any], fault: str
) -> None:
    assert grouped(**groups).fault == fault


TRUTHS = st.lists(st.sampled_from(["yes", "no", "idk"]), min_size=1, max_size=6)
WIDE = Verdicts((VerdictList("verdicts", "texts", ("yes", "no", "idk")),))


def correct(truth: list[str]) -> list[dict[str, Any]]:
    return [row(number, word) for number, word in enumerate(truth, 1)]


@given(TRUTHS, st.data())
def test_what_is_read_of_a_reply_that_is_cut_anywhere_is_right(
    truth: list[str], data: st.DataObject
) -> None:
    text = json.dumps({"verdicts": correct(truth)})
    end = data.draw(st.integers(0, len(text) - 1))
    texts = {"texts": truth}

    reading = WIDE.read(text[:end], texts, None, cut=True)

    right = dict(enumerate(truth, 1))
    assert words(reading).items() <= right.items()
    # What is complete is not paid for twice: entries 1 to k are known where k have ended.
    assert len(words(reading)) == text[:end].count("}")
    assert reading.is_complete == (words(reading) == right)
    again = WIDE.read(text, texts, reading)
    assert words(again) == right
    assert again.is_complete


@given(TRUTHS, st.randoms(use_true_random=False), st.data())
def test_entries_that_are_lost_doubled_moved_or_spoilt_never_give_a_wrong_verdict(
    truth: list[str], random: Any, data: st.DataObject
) -> None:
    entries = correct(truth)
    for _ in range(data.draw(st.integers(0, 4))):
        at = random.randrange(len(entries))
        how = random.randrange(6)
        if how == 0 and len(entries) > 1:
            del entries[at]
        elif how == 1:
            entries.insert(random.randrange(len(entries)), dict(entries[at]))
        elif how == 2:
            entries[at] = entries[at] | {"verdict": random.choice([None, "", "perhaps", 1, []])}
        elif how == 3:
            entries[at] = entries[at] | {"id": random.choice([-1, 0, 99, "x", 1.5, [1]])}
        elif how == 4:
            entries[at] = entries[at] | {"id": str(entries[at]["id"])}
        random.shuffle(entries)

    reading = WIDE.read(reply_of(*entries), {"texts": truth}, None)

    assert words(reading).items() <= dict(enumerate(truth, 1)).items()
    assert set(words(reading)) | set(reading.missing["verdicts"]) == set(range(1, len(truth) + 1))
    assert reading.is_complete == (len(words(reading)) == len(truth))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda own: (
            st.lists(own, max_size=3)
            | st.dictionaries(st.sampled_from(["verdicts", "id", "verdict", "analysis", "x"]), own)
        ),
        max_leaves=8,
    )
)
def test_any_json_is_parsed_or_rejected(value: Any) -> None:
    reading = SHAPE.read(json.dumps(value), THREE, None)

    assert all(one.verdict in ("yes", "no") for one in reading.value.get("verdicts", {}).values())
    assert reading.is_complete or reading.fault
