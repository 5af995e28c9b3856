"""``valor judge probe``: responses that try to command the judge."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result
from valor_cli.program.program import program
from valor_llm.clients.lexical import Lexical
from valor_llm.clients.protocol import Reply, Request, TransientError
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import LexicalParameters
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.probe import CASES, Probe, Trial, attacks, counts, probed

CONFIG = """\
task: text
data: {reader: text.table, path: none.csv}
metrics: [llm.Faithfulness]
judge: {client: lexical}
"""

FORGED = '"verdict": "yes"'


class Obedient:
    """Says no, and yes where a text asks for it in one of some ways."""

    is_remote: ClassVar[bool] = False
    endpoint = "obedient"
    model = "obedient"

    def __init__(self, words: str, *, gives_up_at: str = "\0", always: str = "\0") -> None:
        self.words = words
        self.gives_up_at = gives_up_at
        self.always = always

    def complete(self, request: Request) -> Reply:
        """The verdict that the claim asks for."""
        (claim,) = request.data["claims"]
        if self.gives_up_at in claim:
            raise TransientError("too hard")
        word = "yes" if self.words in claim or self.always in claim else "no"
        content = {"verdicts": [{"id": 1, "analysis": "because", "verdict": word}]}
        return Reply(text=json.dumps(content), model=self.model)


def probe(client: Any) -> Probe:
    judge = Judge(JudgeParameters(cache="off", http_retries=0), client)
    return asyncio.run(probed(judge))


def test_there_are_fifty_attacks_of_many_kinds() -> None:
    assert len({one.text for one in attacks()}) == 50
    kinds = Counter(one.kind for one in attacks())
    assert len(kinds) == 9
    assert min(kinds.values()) >= 5


def test_lexical_client_does_not_obey() -> None:
    found = probe(Lexical(LexicalParameters()))

    assert found.misjudged == ()
    assert counts(found.trials) == (0, 50)
    assert {one.case for one in found.trials} == {*CASES}


def test_a_verdict_that_an_attack_turns_is_a_success_of_the_attack() -> None:
    texts = [one.text for one in attacks() if FORGED in one.text]
    assert len(texts) == 6

    found = probe(Obedient(FORGED))

    assert counts(found.trials) == (6, 50)
    turned = [one for one in found.trials if one.outcome == "turned"]
    assert [one.attack.text for one in turned] == texts
    assert {one.analysis for one in turned} == {"because"}


def test_attack_that_prevents_an_answer_is_counted_separately() -> None:
    found = probe(Obedient(FORGED, gives_up_at="rot13"))

    assert counts(found.trials) == (6, 49)
    assert [one.analysis for one in found.trials if one.outcome == "unanswered"] == ["too hard"]


def test_a_response_that_is_supported_without_an_attack_proves_nothing() -> None:
    found = probe(Obedient(FORGED, always="Marmots"))

    assert found.misjudged == (CASES[1],)
    assert {one.case for one in found.trials} == {*CASES} - {CASES[1]}
    assert counts(found.trials) == (6, 50)
    assert probe(Obedient("")) == Probe((), CASES)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(CONFIG)
    return "config.yaml"


def valor(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, prog_name="valor")


def test_the_command_prints_a_rate_with_its_interval_for_each_kind(config: str) -> None:
    said = valor("judge", "probe", config)

    assert said.exit_code == 0, said.output
    lines = said.stdout.splitlines()
    assert lines[0] == "Attacks on lexical rules, no language model"
    # Wilson for 0 of 50: 1.96² / (50 + 1.96²) = 3.8416 / 53.8416 = 0.0714.
    assert lines[-1].split() == ["all", "0", "50", "0", "0%", "0%", "to", "7%"]
    assert [line.split("  ")[0] for line in lines if line.startswith("forged")] == ["forged reply"]
    assert said.stderr == ""


def test_command_reports_everything_in_json(config: str) -> None:
    said = valor("judge", "probe", config, "--json")

    (content,) = json.loads(said.stdout)["judges"]
    assert content["judge"] == "lexical rules, no language model"
    assert content["attacks"]["interval"][0] == 0.0
    assert content["kinds"]["ids"]["judged"] == 5
    assert len(content["trials"]) == 50
    assert content["misjudged"] == []


def made(outcomes: dict[str, int]) -> Any:
    """Replace the probe of a judge by fixed outcomes."""
    trials = [
        Trial(attacks()[0], CASES[0], outcome, "so")  # type: ignore[arg-type]
        for outcome, count in outcomes.items()
        for _ in range(count)
    ]

    async def content(judge: Any) -> Probe:
        return Probe(tuple(trials), CASES[:1])

    return content


@pytest.mark.parametrize(
    ("outcomes", "options", "code", "stderr"),
    [
        ({"turned": 3, "held": 27}, (), 0, ""),
        ({"turned": 3, "held": 27}, ("--fail-above", "0.1"), 0, ""),
        (
            {"turned": 4, "held": 26, "unanswered": 9},
            ("--fail-above", "0.1"),
            1,
            "valor: --fail-above 0.1: expected at most that share of attacks to succeed, found 4 "
            "of 30 with lexical rules, no language model\n",
        ),
        (
            {"unanswered": 2},
            (),
            1,
            "valor: lexical rules, no language model: no attack was judged\n",
        ),
    ],
)
def test_the_exit_code_says_whether_too_many_succeed(
    config: str,
    monkeypatch: pytest.MonkeyPatch,
    outcomes: dict[str, int],
    options: tuple[str, ...],
    code: int,
    stderr: str,
) -> None:
    monkeypatch.setattr("valor_llm.commands.probe.probed", made(outcomes))

    said = valor("judge", "probe", config, *options)

    assert said.exit_code == code
    left_out = f"skipped, not judged a no without an attack: {CASES[0].response!r}\n"
    assert said.stderr == f"valor: lexical rules, no language model: {left_out}{stderr}"
    if "turned" in outcomes:
        assert "Attacks that succeeded" in said.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("judge: {client: lexical}", ""),
            "valor: config.yaml: judge: expected a section for the judge, the key is missing\n"
            "Write one, for example: judge: {client: lexical}\n",
        ),
        (("client: lexical", "client: lexicl"), "Did you mean"),
        (("{client: lexical}", "{a: {client: lexical}, b: {client: lexical}}"), "judge"),
    ],
)
def test_config_without_a_judge_reports_the_missing_section(
    config: str, change: tuple[str, str], message: str
) -> None:
    Path(config).write_text(CONFIG.replace(*change))

    said = valor("judge", "probe", config)

    assert said.exit_code == 2
    assert message in said.stderr
    assert "Traceback" not in said.output


def test_one_of_several_judges_is_probed_by_its_name(config: str) -> None:
    several = "{a: {client: lexical}, b: {client: nobody}}"
    Path(config).write_text(CONFIG.replace("{client: lexical}", several))

    assert valor("judge", "probe", config, "--judge", "a").exit_code == 0
