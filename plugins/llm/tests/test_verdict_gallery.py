"""The gallery of judged items: failed ones first, verdicts with words and colors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from valor_llm.gallery.verdicts import AGAINST, FOR, VerdictGallery
from valor_llm.parameters.metrics import VerdictsParameters

from valor_core import Failed, Text, TextBatch, Undefined, evaluate
from valor_core.errors import ConfigError, ParameterError, UnknownNameError, ValorError
from valor_core.results import ItemRow

MILL = "The mill burned down in 1874."
ITEMS = [
    Text("q1", "When?", "The mill burned down in 1874.", (), [MILL]),
    Text("q2", "When?", "The mill burned down in 1874. It was <b>blue</b>.", (), [MILL, "x"]),
    Text("q3", "When?", "The mill burned down in 1875.", (), [MILL]),
]
LEXICAL = {"judge": {"client": "lexical"}}


def page_of(folder: Path, **gallery: Any) -> str:
    report = evaluate(
        ITEMS,
        ["llm.Faithfulness", "llm.Hallucination"],
        resources=LEXICAL,
        gallery={"folder": str(folder), "name": "llm.Verdicts", **gallery},
    )
    assert report.items == ()
    return (folder / "index.html").read_text(encoding="utf-8")


def rows_of(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(<td>.*?)</tr>", page, re.DOTALL)
    return [re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in rows]


def test_the_worst_come_first_with_each_verdict_and_why(tmp_path: Path) -> None:
    page = page_of(tmp_path)

    assert re.findall(r"<b>(\w+)</b>", page) == ["q3", "q2"]  # 0 and 1/2; q1 has nothing wrong
    said = rows_of(page)
    assert [row[0] for row in said] == [
        "The mill burned down in 1875.",
        "The mill burned down in 1874.",
        "It was &lt;b&gt;blue&lt;/b&gt;.",
    ]
    assert [re.sub("<.*?>", "", row[1]) for row in said] == ["no", "yes", "no"]
    assert said[0][2] == f"1875 is not in: {MILL}"
    assert f'title="{AGAINST}"' in said[0][1]
    assert f'title="{FOR}"' in said[1][1]
    assert "Faithfulness 0.5000" in page
    assert "lexical rules, no language model: 2 answers" in page
    assert "<h2>context 2</h2>" in page


def test_a_yes_counts_against_the_score_where_lower_is_better(tmp_path: Path) -> None:
    page = page_of(tmp_path, by="llm.Hallucination")

    (row,) = rows_of(page)
    assert row[0] == MILL
    assert f'title="{AGAINST}"' in row[1]
    assert ">yes<" in row[1]


def test_every_item_is_shown_on_request(tmp_path: Path) -> None:
    page = page_of(tmp_path, every=True)

    assert re.findall(r"<b>(\w+)</b>", page) == ["q3", "q2", "q1"]


def test_failed_items_are_the_worst_and_say_why() -> None:
    gallery = VerdictGallery(VerdictsParameters(every=True))
    batch = TextBatch.of(ITEMS)
    gallery.take(
        [
            ItemRow("q1", 0.0),
            ItemRow("q2", Failed("claims: no JSON object after 3 replies")),
            ItemRow("q3", Undefined("the response claims nothing"), {"note": "so"}),
        ]
    )

    assert gallery.errors(batch).tolist() == [1.0, float("inf"), 5e-324]
    drawn = [gallery.draw(TextBatch.of([item])) for item in ITEMS]
    assert [one.group for one in drawn] == ["scored", "failed", "undefined"]
    assert drawn[1].notes == ["Faithfulness failed: claims: no JSON object after 3 replies"]
    assert drawn[2].notes == ["Faithfulness undefined: the response claims nothing", "so"]


def test_several_judges_have_separate_tables() -> None:
    gallery = VerdictGallery(VerdictsParameters())
    step = {"step": "claims", "model": "m", "attempts": 2, "tokens": [1200, 30]}
    said = {"verdicts": [{"text": MILL, "verdict": "yes", "analysis": "It is."}]}
    gallery.take(
        [
            ItemRow(
                "q1",
                0.5,
                {
                    "scorings": [
                        {"judge": "a", "repeat": 1, "value": 1.0, **said},
                        {"judge": "b", "repeat": 1, "error": "no reply"},
                    ],
                    "steps": [step],
                },
            )
        ]
    )

    drawn = gallery.draw(TextBatch.of(ITEMS[:1]))

    assert list(drawn.tables) == ["a, repeat 1, 1.0000: verdicts"]
    assert drawn.counts == {FOR: 1, AGAINST: 0}
    assert drawn.notes == [
        "Faithfulness 0.5000",
        "m: 1 answer in 2 replies, 1,200 tokens of prompts and 30 of replies",
    ]


def test_verdicts_precede_tables_of_claims() -> None:
    gallery = VerdictGallery(VerdictsParameters())
    made = [{"reference": 1, "score": 2 / 3}]
    gallery.take([ItemRow("q1", 2 / 3, {"references": made, "ratings": [{"rating": 4}]})])

    drawn = gallery.draw(TextBatch.of(ITEMS[:1]))

    assert list(drawn.tables) == ["ratings", "references"]
    assert drawn.tables["references"][0]["score"].text == "0.6667"
    assert drawn.tables["ratings"][0]["rating"].text == "4"


def test_long_texts_are_cut() -> None:
    gallery = VerdictGallery(VerdictsParameters(characters=5))
    gallery.take([ItemRow("q1", 0.5)])

    drawn = gallery.draw(TextBatch.of(ITEMS[:1]))

    assert drawn.texts["response"][0].text == "The m…"


def test_a_metric_that_the_run_has_not_is_named_before_any_call(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"gallery\.by: expected one metric llm\.Bias in the run, found none"
    ):
        page_of(tmp_path, by="llm.Bias")


def test_failed_items_of_a_run_come_first_and_can_be_shown_alone(
    tmp_path: Path, endpoint: MockEndpoint
) -> None:
    endpoint.configure(faults={"schema_ignored": 1.0}, only="1875")
    judge = {
        "client": {"name": "openai", "base_url": endpoint.base_url, "model": "mock"},
        "cache": "off",
        "reply_retries": 0,
    }

    evaluate(
        ITEMS,
        "llm.Faithfulness",
        resources={"judge": judge},
        gallery={"folder": str(tmp_path), "name": "llm.Verdicts", "every": True},
    )

    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<b>(\w+)</b>", page)[0] == "q3"
    assert "<small>Faithfulness failed: claims: " in page
    assert "failed (1)" in page
    assert "scored (2)" in page


def test_a_misspelt_metric_is_named_with_its_place() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"gallery\.by: metric 'llm\.Faith': not declared by the plugin 'llm'",
    ):
        VerdictGallery(VerdictsParameters(by="llm.Faith"))


def test_metric_without_items_is_rejected() -> None:
    with pytest.raises(
        ParameterError, match=r"expected a metric of items with a best value, got text\.CorpusBLEU"
    ):
        VerdictGallery(VerdictsParameters(by="text.CorpusBLEU"))


def test_the_gallery_of_texts_says_which_one_shows_a_judged_metric(tmp_path: Path) -> None:
    chosen = {"name": "text.Gallery", "by": "llm.Bias", "folder": str(tmp_path / "page")}
    with pytest.raises(
        ValorError, match=r"gallery\.by: expected a metric without a judge, got llm\.Bias"
    ):
        evaluate(
            [Text("q1", response="Graz is best.")],
            ["llm.Bias"],
            resources={"judge": {"client": "lexical"}},
            gallery=chosen,
        )
