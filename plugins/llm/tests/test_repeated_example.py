"""A reply that repeats an example of the prompt is not an answer."""

from __future__ import annotations

import json

from valor_llm.steps.prompt import Example, Prompt, own
from valor_llm.steps.step import repeats_example

BERRIES = Example(
    {"text": "The berries were picked."}, '{"analysis": "The berries are named.", "rating": 2}'
)
PROMPT = Prompt("p", 1, "Rate it.", (BERRIES,), "digest")


def test_an_example_of_other_data_is_a_repetition_however_it_is_wrapped() -> None:
    reply = own("claims_supported").examples[0].reply
    about = {"contexts": ("It rains.",), "claims": ("It is wet.", "It is dry.", "It snows.")}
    for text in (reply, f"Sure!\n```json\n{reply}\n```", json.dumps(json.loads(reply), indent=2)):
        assert repeats_example(text, own("claims_supported"), about)


def test_an_analysis_that_could_be_of_anything_is_no_repetition() -> None:
    # "analysis" and "named" stand in no data; "berries" is in the data that are asked about.
    about = {"text": "All berries were eaten."}
    assert not repeats_example(BERRIES.reply, PROMPT, about)
    assert repeats_example(BERRIES.reply, PROMPT, {"text": "All apples were eaten."})


def test_an_example_without_sentences_repeats_nothing() -> None:
    empty = Prompt("p", 1, "List them.", (Example({"text": "Why so?"}, '{"claims": []}'),), "d")
    assert not repeats_example('{"claims": []}', empty, {"text": "Who knows?"})


def test_a_part_of_an_example_is_no_repetition() -> None:
    part = '{"claims": ["Marie Curie was born in Warsaw."]}'
    assert not repeats_example(part, own("claims"), {"response": "It rains."})
