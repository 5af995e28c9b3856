"""The prompts: each belongs to a step, shows what the step shows, and changes with its version."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from cases import for_each
from valor_llm.steps import prompt
from valor_llm.steps.step import repeats_example

from valor_core.errors import ResourceError

from .declared_steps import STEPS

PINNED = {
    "answer_accuracy_first": (1, "66b23c13fe51", "nvidia.AnswerAccuracy"),
    "answer_accuracy_second": (1, "c2d6337ee2b9", "nvidia.AnswerAccuracy"),
    "claims": (1, "74c70c988f87", "llm.Faithfulness"),
    "claims_supported": (1, "987954d8a756", "llm.Faithfulness"),
    "coherence": (1, "12e98c0be17b", "llm.Coherence"),
    "context_relevance_first": (1, "1f0717ea8068", "nvidia.ContextRelevance"),
    "context_relevance_second": (1, "010d842bacef", "nvidia.ContextRelevance"),
    "contexts_contradicted": (1, "934e5367f45b", "llm.Hallucination"),
    "contexts_relevant": (1, "462007e72de8", "llm.ContextRelevance"),
    "contexts_useful": (1, "4431ad0e03e4", "llm.ContextPrecision"),
    "opinions": (1, "c75db9606829", "llm.Bias, llm.Toxicity"),
    "opinions_biased": (1, "b4305e31e854", "llm.Bias"),
    "opinions_toxic": (1, "261ab6a273b9", "llm.Toxicity"),
    "response_groundedness_first": (1, "71ad8a39eb46", "nvidia.ResponseGroundedness"),
    "response_groundedness_second": (1, "d9662ed8f7ae", "nvidia.ResponseGroundedness"),
    "rubric": (1, "9944983df27b", "llm.Rubric"),
    "statements": (
        1,
        "73f7b82da33f",
        "llm.AnswerCorrectness, llm.AnswerRelevance, llm.ContextRecall",
    ),
    "statements_attributed": (1, "f4135a0322ba", "llm.ContextRecall"),
    "statements_matched": (1, "831c6cfd08c3", "llm.AnswerCorrectness"),
    "statements_relevant": (1, "26f315f4bd08", "llm.AnswerRelevance"),
    "summary_coherence": (1, "2e16643b7ab9", "llm.SummaryCoherence"),
}
"""Version and digest of each prompt, and the metrics whose numbers it makes."""


def test_there_is_one_prompt_for_each_step() -> None:
    files = (resources.files("valor_llm.prompts") / "en").iterdir()
    assert sorted(file.name.removesuffix(".toml") for file in files) == sorted(STEPS)


@for_each("name", STEPS)
def test_examples_show_what_the_step_shows(name: str) -> None:
    # Criteria of a rubric are the user's; no example could fit them.
    examples = prompt.own(name).examples
    assert bool(examples) == (name != "rubric")
    for example in examples:
        assert tuple(example.data) == STEPS[name].fields


@for_each("name", STEPS)
def test_an_example_that_a_model_repeats_is_known_by_what_it_speaks_of(name: str) -> None:
    found = prompt.own(name)
    blank = dict.fromkeys(STEPS[name].fields, "")
    for example in found.examples:
        if " " in "".join(map(str, json.loads(example.reply).values())):
            assert repeats_example(example.reply, found, blank), example.reply


@for_each("name", STEPS)
def test_a_changed_prompt_has_a_new_version_and_so_have_its_metrics(name: str) -> None:
    found = prompt.own(name)
    version, digest, metrics = PINNED.get(name, (0, "", "its metrics"))
    assert (found.version, found.digest) == (version, digest), (
        f"The prompt {name} has changed. Raise its version and that of {metrics}, write a heading "
        f"in the changelog, and pin it here: {name!r}: ({found.version}, {found.digest!r}, …)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('version = 1\ninstruction = "Split it."\n', None),
        ("version = 1\n", "version and an instruction, found 'instruction'"),
        (
            'version = 1\ninstruction = "Split it."\n[[example]]\ndata = {response = "a"}\n'
            'reply = "It says a."\n',
            "p.toml: example 1: expected a reply that is a JSON object",
        ),
        (
            'version = 1\ninstruction = "Split it."\n[[example]]\ndata = {response = "a"}\n',
            "version and an instruction, found 'reply'",
        ),
    ],
)
def test_custom_prompt_is_checked_when_it_is_read(
    tmp_path: Path, text: str, message: str | None
) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")

    if message is None:
        assert prompt.replaced("claims", path).instruction == "Split it."
    else:
        with pytest.raises(ResourceError, match=message):
            prompt.replaced("claims", path)


def test_missing_prompt_error_suggests_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="expected a readable file, No such file or directory"):
        prompt.replaced("claims", tmp_path / "nosuch.toml")
