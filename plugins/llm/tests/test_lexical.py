"""The lexical client: what its rules say, and that they answer the schema of every step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from hypothesis import example, given
from hypothesis import strategies as st
from valor_cli.config.schema import check
from valor_llm.clients.lexical import Lexical
from valor_llm.clients.protocol import Request, StandIn
from valor_llm.judge.judge import Judge
from valor_llm.lexical.answers import coherence, graded, matched
from valor_llm.lexical.comparison import compared
from valor_llm.lexical.words import sentences
from valor_llm.metrics.rubric import rubric
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step

from valor_core import Text, evaluate
from valor_core.errors import ConfigError

from .declared_steps import STEPS

MILL = "The old mill at Arnfeld burned down in 1874. It was rebuilt with 3 wheels."

COMPARED = [
    # statement, source, outcome: the words in which it shares at least 60 % decide.
    ("The mill burned down in 1874.", MILL, "backed"),
    ("The mill burned down in 1875.", MILL, "contradicted"),  # another number
    ("The mill never burned down.", MILL, "contradicted"),  # only one denies
    ("The mill was rebuilt.", MILL, "backed"),  # "It" is about the sentence before
    ("The mill was rebuilt with three wheels.", MILL, "backed"),  # three is 3
    ("The mill was rebuilt with 4 wheels.", MILL, "contradicted"),
    ("The old mill at Brückheim burned.", MILL, "contradicted"),  # another name
    ("The mills were burning down.", MILL, "backed"),  # endings do not count
    ("THE MILL BURNED DOWN", MILL, "backed"),  # nor does case
    ("The miller was lucky.", MILL, "absent"),
    ("A stroke of lightning set fire to the mill.", MILL, "absent"),  # 1 of 5 words
    ("The ticket costs 1,200 crowns.", "A ticket costs 1200 crowns.", "backed"),
    ("The ticket costs 2.50 crowns.", "A ticket costs 2.5 crowns.", "backed"),
    ("The tower isn't red.", "The tower is red.", "contradicted"),
    ("The tower isn\u2019t red.", "Red the tower is not.", "backed"),
    ("他出生在北京。", "他一九八〇年出生在北京。", "backed"),  # each character is a word
    ("它不是红色的。", "它是红色的。", "contradicted"),
    ("Straße", "\uff33\uff34\uff32\uff21\uff33\uff33\uff25", "backed"),  # folded, full width
]


@for_each(("statement", "source", "outcome"), COMPARED)
def test_whether_a_source_backs_a_statement(statement: str, source: str, outcome: str) -> None:
    assert compared(statement, [source]).outcome == outcome


def test_the_words_of_a_question_count_as_said() -> None:
    query = "Which metal is used for most electric cables?"

    assert compared("Most electric cables use copper.", ["Copper."], query).is_backed
    assert not compared("Most electric cables use copper.", ["Iron."], query).is_backed
    assert not compared("Most electric cables use copper.", ["Copper."]).is_backed


VERDICTS: list[tuple[str, dict[str, Any], Any]] = [
    # step, data, what it says
    (
        "claims",
        {"response": "It rains. Does it? Take 3.5 l, Dr. Ames!"},
        ["It rains.", "Take 3.5 l, Dr. Ames!"],
    ),
    ("claims", {"response": "How can I help?"}, []),
    ("statements", {"text": "- Copper\n- Iron"}, ["Copper", "Iron"]),
    (
        "opinions",
        {"response": "It opened in 1932. It is the ugliest, I think."},
        ["It is the ugliest, I think."],
    ),
    ("opinions", {"response": "Water boils at 70 degrees."}, []),
    (
        "claims_supported",
        {"contexts": [MILL], "claims": ["The mill burned.", "It was blue."]},
        ["yes", "no"],
    ),
    (
        "statements_relevant",
        {
            "query": "How long do I boil an egg?",
            "statements": [
                "Boil the egg for ten minutes.",
                "Hens lay more in spring and autumn.",
                "Ten minutes.",
            ],
        },
        ["yes", "no", "idk"],
    ),
    (
        "contexts_relevant",
        {
            "query": "What do red pandas eat?",
            "contexts": ["Red pandas eat bamboo.", "Pandas are big."],
        },
        ["yes", "no"],
    ),
    (
        "contexts_useful",
        {
            "query": "Who designed it?",
            "contexts": ["Lena Moss designed the house.", "It has a bar."],
            "reference": "Lena Moss designed it.",
        },
        ["yes", "no"],
    ),
    (
        "contexts_contradicted",
        {
            "contexts": ["The ferry leaves at 8:15.", "Dogs may come."],
            "response": "The ferry leaves at 9:00.",
        },
        ["yes", "no"],
    ),
    (
        "opinions_biased",
        {"opinions": ["Women should stay at home.", "The law is bad.", "Women work here."]},
        ["yes", "no", "no"],
    ),
    ("opinions_toxic", {"opinions": ["You are an idiot.", "The chapter is dull."]}, ["yes", "no"]),
    (
        "answer_accuracy_first",
        {
            "query": "When and why?",
            "reference": "It burned in 1874. Lightning struck it.",
            "response": "It burned in 1874.",
        },
        2,
    ),
    (
        "answer_accuracy_second",
        {"query": "When?", "reference": "In 1874.", "response": "It burned in 1874."},
        4,
    ),
    (
        "context_relevance_first",
        {"query": "Where was the composer born?", "contexts": ["She was a composer."]},
        1,
    ),
    ("response_groundedness_second", {"contexts": [MILL], "response": "The mill is blue."}, 0),
    ("coherence", {"text": "Bread needs flour. Flour is milled. My uncle had a boat."}, 3),
    ("coherence", {"text": "Bread."}, 5),
    ("summary_coherence", {"source": MILL, "summary": "The mill burned down. It was rebuilt."}, 5),
    ("summary_coherence", {"source": MILL, "summary": "A forest is sold."}, 1),
    ("rubric", {"response": "The mill burned.", "references": ["The mill burned in 1874."]}, 5),
]


@for_each(("step", "data", "said"), VERDICTS)
def test_what_is_said_of_twenty_cases(step: str, data: dict[str, Any], said: Any) -> None:
    grades = Rating((1, 2, 3, 4, 5))
    asked = rubric([*data], "Is it right?", grades, {}, []) if step == "rubric" else STEPS[step]
    assert asked.stand_in is not None

    found = asked.stand_in(data)

    (value,) = [one for key, one in found.items() if key != "analysis"]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        assert [one["id"] for one in value] == list(range(1, len(value) + 1))
        value = [one["verdict"] for one in value]
    assert value == said


def test_statements_of_both_sides_are_compared_with_the_other_one() -> None:
    data = {
        "query": "",
        "response_statements": ["Reefs are built of limestone.", "They need cold."],
        "reference_statements": ["Reefs are built of limestone.", "Reefs need sunlight."],
    }

    found = matched(data)

    assert [one["verdict"] for one in found["response"]] == ["yes", "no"]
    assert [one["verdict"] for one in found["reference"]] == ["yes", "no"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It cost 3.50 at St. Ives. Fine.", ["It cost 3.50 at St. Ives.", "Fine."]),
        ("In 1911. Then No. 5. No. It is not.", ["In 1911.", "Then No. 5.", "No.", "It is not."]),
        ("1. Boil it.\n2. Eat it!", ["Boil it.", "Eat it!"]),
        ("\u201cReally?\u201d he said.", ["\u201cReally?\u201d", "he said."]),
        ("他去了北京。很好。", ["他去了北京。", "很好。"]),
        ("The U.S. Army came. I. e. all", ["The U.S. Army came.", "I.", "e. all"]),
        ("It rains; it is no fun", ["It rains", "it is no fun"]),
        ("...", []),
        ("", []),
    ],
)
def test_where_sentences_end(text: str, said: list[str]) -> None:
    assert sentences(text) == said


def test_a_repeated_sentence_is_not_coherent() -> None:
    # One of two steps: "It" links to the first sentence, then the same is said again.
    assert coherence("The mill burned. It was old. It was old.") == 0.5


def test_grades_are_given_in_equal_parts() -> None:
    assert [graded(part / 10, (0, 1, 2)) for part in range(11)] == [0, *[1] * 9, 2]
    assert [graded(one, ("bad", "fair", "good", "best")) for one in (0, 0.4, 0.6, 1)] == [
        *("bad", "fair", "good", "best"),
    ]


DATA = {
    "query": "Who built the mill?",
    "response": "Ann built the mill. I think it is beautiful.",
    "reference": "Ann built it.",
    "contexts": ["Ann built the mill.", "It burned."],
    "text": "Ann built the mill. It burned.",
    "source": MILL,
    "summary": "The mill burned.",
    "claims": ["Ann built the mill."],
    "statements": ["Ann built the mill.", "It burned."],
    "opinions": ["It is beautiful."],
    "response_statements": ["Ann built the mill."],
    "reference_statements": ["Ann built it.", "It burned."],
}


def lexical_judge() -> Judge:
    return Judge(JudgeParameters(cache="off"), Lexical(LexicalParameters()))


@for_each("step", [*STEPS.values()], ids=lambda step: step.name)
def test_the_schema_of_every_step_is_answered_at_the_first_attempt(step: Step) -> None:
    data = {name: DATA[name] for name in step.fields}

    found = asyncio.run(lexical_judge().ask(step, **data))

    assert (found.attempts, found.lenient) == (1, ())
    assert found.model == "lexical rules, no language model"


@example(text="_", texts=["_"])  # a sentence without a token
@given(text=st.text(max_size=80), texts=st.lists(st.text(max_size=80), max_size=3))
def test_any_text_has_an_answer(text: str, texts: list[str]) -> None:
    for step in STEPS.values():
        data = {name: text if isinstance(DATA[name], str) else texts for name in step.fields}

        reading = step.shape.read(
            said(step.name, data, step.shape.schema(data, None), step.stand_in), data, None
        )

        assert reading.is_complete, (step.name, reading)


def said(
    step: str,
    data: Mapping[str, Any],
    schema: Mapping[str, Any],
    stand_in: StandIn | None = None,
) -> str:
    request = Request(messages=(), schema=schema, step=step, data=data, stand_in=stand_in)
    return Lexical(LexicalParameters()).complete(request).text


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


class TestAStepOfSomebodyElse:
    """It has no rule: the answer fits its schema, and goes by what its last text shares."""

    def test_items_of_its_last_list_are_compared_with_the_other_texts(self) -> None:
        entry = {
            "id": {"type": "integer", "enum": [2, 3]},
            "why": {"type": "string"},
            "verdict": {"enum": ["backed", "open"]},
        }
        schema = of(found={"type": "array", "items": of(**entry)})
        data = {"sources": [MILL], "points": ["It is red.", "The mill burned.", "It is blue."]}

        found = json.loads(said("mine", data, schema))

        assert [(one["id"], one["verdict"]) for one in found["found"]] == [
            (2, "backed"),
            (3, "open"),
        ]

    def test_its_grades_go_by_the_share_of_sentences_that_the_others_back(self) -> None:
        schema = Rating(("poor", "fair", "good")).schema({}, None)
        data = {"source": MILL, "note": "The mill burned. It was blue."}

        assert json.loads(said("mine", data, schema))["rating"] == "fair"

    def test_other_types_get_a_value_of_their_type(self) -> None:
        schema = of(
            is_so={"type": "boolean"},
            share={"type": "number"},
            count={"type": "integer", "minimum": 1, "maximum": 3},
            texts={"type": "array", "items": {"type": "string"}, "minItems": 3},
            parts={"type": "array", "items": of(name={"type": "string"})},
            deep=of(nothing={"type": "null"}),
        )

        found = json.loads(said("mine", {"source": MILL, "note": "The mill burned."}, schema))

        assert found == {
            "is_so": True,
            "share": 1.0,
            "count": 3,
            "texts": ["The mill burned.", "", ""],
            "parts": [{"name": "By the words that the texts share"}],
            "deep": {"nothing": None},
        }

    def test_step_can_declare_its_substitute(self) -> None:
        request = Request(
            messages=(),
            schema={},
            step="mine",
            data={"x": "a"},
            stand_in=lambda data: {"y": data["x"]},
        )

        assert Lexical(LexicalParameters()).complete(request).text == '{"y": "a"}'


def test_every_report_says_that_no_model_was_asked() -> None:
    items = [Text("q1", response="It rains.", contexts=["It rains today."])]

    report = evaluate(items, "llm.Faithfulness", resources={"judge": {"client": "lexical"}})

    assert report["Faithfulness"].value == 1.0
    assert report.facts["judge"]["model"] == "lexical rules, no language model"
    (warning,) = report.warnings
    assert warning.startswith("judge: lexical rules, no language model: ")


def test_step_of_another_package_brings_its_prompt_and_substitute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mylab_prompts" / "en"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('version = 3\ninstruction = "Name the weather."\n')
    monkeypatch.syspath_prepend(tmp_path)
    step = Step(
        "mine",
        ("response",),
        Rating(("dry", "wet")),
        package="mylab_prompts",
        stand_in=lambda data: {"analysis": "", "rating": "wet"},
    )

    found = asyncio.run(lexical_judge().ask(step, response="It rains."))

    assert found.value["rating"] == "wet"
    assert found.prompt.startswith("mine@3:")


def test_word_instead_of_a_judge_table_suggests_the_form() -> None:
    rest = {"data": {"reader": "jsonl"}, "metrics": ["llm.Faithfulness"]}
    with pytest.raises(ConfigError, match=r"config\.yaml: judge: expected a table, got 'lexical'"):
        check({**rest, "judge": "lexical"}, "config.yaml: ")
    client = {"client": "lexical"}
    assert check({**rest, "judge": client}, "config.yaml: ").resources == {"judge": client}
