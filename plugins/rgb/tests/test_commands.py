from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from valor_cli.program.program import program
from valor_rgb.commands import INSTRUCTION
from valor_rgb.rules.heuristic import HeuristicRules
from valor_rgb.rules.paper import PaperRules
from valor_rgb.rules.robust import RobustRules

from valor_core.specs.names import folded_name

from .data_files import write_dataset


def valor(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, prog_name="valor")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    write_dataset(tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(
        "task: rgb\n"
        "data:\n"
        "  reader: dataset\n"
        "  noise_robustness: en.json\n"
        "  negative_rejection: en.json\n"
        "  information_integration: en_int.json\n"
        "  counterfactual_robustness: en_fact.json\n"
        "  responses: responses.jsonl\n"
        "metrics: [NoiseRobustness, NegativeRejection, CounterfactualRobustness]\n"
    )
    return "config.yaml"


def test_prompts_are_written_answered_and_evaluated(config: str) -> None:
    written = valor("rgb", "prompts", config, "-o", "prompts.jsonl")

    assert written.exit_code == 0
    assert written.stdout == ""
    # The second question has one irrelevant document: too few at 0.4 and above, thrice; the second
    # of two integrated questions has one, too few at 0.4.
    assert written.stderr == (
        "20 prompts, written to prompts.jsonl; 4 of them have less noise than asked for\n"
    )
    prompts = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    answered = [{"uid": one["uid"], "response": "I cannot answer."} for one in prompts]
    Path("responses.jsonl").write_text("\n".join(map(json.dumps, answered)))
    ran = valor("run", config)
    assert ran.exit_code == 0, ran.output
    assert "NegativeRejection rejection_rate                                   1.0000" in ran.stdout


def test_samples_without_a_question_make_no_prompts(config: str) -> None:
    Path("recorded.jsonl").write_text('{"id": 1, "prediction": "It is Oslo.", "ans": "Oslo"}')
    data = {"reader": "responses", "path": "recorded.jsonl", "ability": "noise_robustness"}

    said = valor("rgb", "prompts", config, "--set", f"data={json.dumps(data)}")

    assert said.exit_code == 2
    assert said.stdout == ""
    assert said.stderr.startswith("valor: recorded.jsonl")
    assert ": item '1': expected a question, found none\nPrompts are made of" in said.stderr


def test_a_prompt_has_the_documents_and_not_the_answer(config: str) -> None:
    said = valor("rgb", "prompts", config, "--set", "data.noise_ratios=[0.4]")

    lines = [json.loads(line) for line in said.stdout.splitlines()]
    first = lines[0]
    assert list(first) == [
        *("uid", "ability", "noise_ratio", "closed_book", "file", "level"),
        *("positive_passages", "negative_passages", "counterfactual_passages"),
        *("realized_noise_ratio", "messages"),
    ]
    system, user = first["messages"]
    assert system == {"role": "system", "content": INSTRUCTION}
    documents, question = user["content"].split("\n\n")
    assert documents.startswith("Documents:\n")
    assert len(documents.splitlines()) == 6
    assert question == "Question: Who won the race?"
    closed = lines[-1]
    assert closed["closed_book"]
    assert closed["messages"] == [{"role": "user", "content": "What is the capital of Norway?"}]


def test_the_instruction_can_be_another(config: str) -> None:
    Path("instruction.txt").write_text("Sei kurz.\n", encoding="utf-8")

    said = valor("rgb", "prompts", config, "--instruction", "instruction.txt")

    first = json.loads(said.stdout.splitlines()[0])
    assert first["messages"][0]["content"] == "Sei kurz."


@pytest.mark.parametrize("rules", [HeuristicRules(), PaperRules(), RobustRules()])
def test_the_instruction_asks_for_phrases_that_all_rules_find(
    rules: HeuristicRules | PaperRules | RobustRules,
) -> None:
    _, refusal, detection = INSTRUCTION.split("\n")

    assert rules.refused(refusal.partition("reply: ")[2]) is not None
    assert rules.detected(detection.partition("begin with: ")[2], ()) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--instruction", "none.txt"],
            "valor: none.txt: expected a readable file, found: No such",
        ),
        (["-o", "none/prompts.jsonl"], "valor: none/prompts.jsonl: cannot be written, No such"),
        (
            ["--set", "data.passages=0"],
            "valor: config.yaml: data.passages must be at least 1, got 0",
        ),
        (["--set", "task=text"], "valor: config.yaml: task: expected rgb, got 'text'"),
        (
            ["--set", "data.strict=true"],
            "en.json, line 2: expected at least 2 of 5 documents to be irrelevant",
        ),
        (["--set", "data.reader=datset"], "Did you mean"),
        (["--words"], "valor: rgb: prompts: unknown option '--words'"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(
    config: str, arguments: list[str], message: str
) -> None:
    said = valor("rgb", "prompts", config, *arguments)

    assert said.exit_code == 2
    assert message in said.stderr
    assert "Traceback" not in said.output
    assert said.stdout == ""


def test_the_command_is_found_and_explained() -> None:
    assert "Prompts of the Retrieval-Augmented Generation Benchmark." in valor("--help").stdout
    assert "prompts  Write the prompts of a config's data" in valor("rgb", "--help").stdout
    assert "--instruction" in valor("rgb", "prompts", "--help").stdout
    unknown = valor("rgb", "promts")
    assert unknown.exit_code == 2
    assert "Traceback" not in unknown.output


@pytest.mark.parametrize(
    "name",
    [
        *("rgb.NoiseRobustness", "NegativeRejection", "informationintegration"),
        *("counterfactual_robustness", "rgb.Verdicts", "rgb.dataset", "rgb.responses", "rgb"),
    ],
)
def test_every_name_answers_to_show(name: str) -> None:
    said = valor("show", name)

    assert said.exit_code == 0
    assert said.stdout.casefold().startswith(f"rgb.{folded_name(name.rpartition('.')[2])}")
