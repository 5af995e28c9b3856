from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from valor_rgb import RGBSample
from valor_rgb.parameters.readers import DatasetParameters
from valor_rgb.readers.dataset import DatasetReader
from valor_testing import check_reader

from valor_core import evaluate
from valor_core.errors import ParameterError, ReadError, ValorError
from valor_core.specs import ReaderSpec, Registry

from .data_files import BASE, COUNTERFACTUAL, INTEGRATION, write_dataset, write_lines


def read(**parameters: Any) -> dict[Any, RGBSample]:
    reader = DatasetReader(DatasetParameters(**parameters))
    batches = (batch for part in reader.partitions() for batch in reader.read(part))
    return {sample.uid: sample for batch in batches for sample in batch.items()}


def counts(sample: RGBSample) -> tuple[int, int, int]:
    kinds = ("positive", "negative", "counterfactual")
    first, second, third = (sample.metadata[f"{kind}_passages"] for kind in kinds)
    return first, second, third


def test_every_question_is_asked_for_its_ability_at_each_level(tmp_path: Path) -> None:
    samples = read(**write_dataset(tmp_path))

    noise = [f"en/noise_robustness/{r}/{i}" for i in (0, 1) for r in (0.0, 0.2, 0.4, 0.6, 0.8)]
    assert list(samples) == [
        *noise,
        "en/negative_rejection/1.0/0",
        "en/negative_rejection/1.0/1",
        *(f"en_int/information_integration/{r}/{i}" for i in (5, 6) for r in (0.0, 0.2, 0.4)),
        "en_fact/counterfactual_robustness/0.0/9",
        "en_fact/counterfactual_robustness/closed_book/9",
    ]


def test_samples_have_their_answers_and_documents(tmp_path: Path) -> None:
    samples = read(**write_dataset(tmp_path))

    first = samples["en/noise_robustness/0.4/0"]
    assert (first.ability, first.noise_ratio, first.response) == ("noise_robustness", 0.4, None)
    assert first.answers == (("Ann Holm", "A. Holm"),)
    assert counts(first) == (3, 2, 0)
    assert len(first.contexts) == 5
    assert first.metadata["file"] == "en"
    assert first.metadata["level"] == "easy"
    assert first.metadata["realized_noise_ratio"] == 0.4

    # 4 irrelevant documents were asked for; there is one, and two that help.
    short = samples["en/noise_robustness/0.8/1"]
    assert counts(short) == (2, 1, 0)
    assert short.metadata["realized_noise_ratio"] == 1 / 3

    refused = samples["en/negative_rejection/1.0/0"]
    assert counts(refused) == (0, 5, 0)

    false = samples["en_fact/counterfactual_robustness/0.0/9"]
    assert (false.answers, false.false_answer) == ((("Oslo",),), ("Bergen",))
    assert sorted(false.contexts) == ["Bergen is the capital.", "The capital is Bergen."]
    closed = samples["en_fact/counterfactual_robustness/closed_book/9"]
    assert closed.closed_book
    assert (closed.contexts, closed.noise_ratio) == ((), None)
    assert closed.metadata["realized_noise_ratio"] is None


def test_a_misspelt_key_is_read_and_is_no_metadata(tmp_path: Path) -> None:
    samples = read(information_integration=write_lines(tmp_path / "en_int.json", INTEGRATION))

    whole = samples["en_int/information_integration/0.0/5"]
    of_parts = samples["en_int/information_integration/0.0/6"]
    assert whole.answers == (("Ann",), ("May", "may 3"))
    assert of_parts.answers == (("Ann",), ("Lindvik", "lindvik"))
    assert not {"answer1", "asnwer1", "answer2"} & set(whole.metadata)


def test_noise_passages_and_seed_are_chosen(tmp_path: Path) -> None:
    files = write_dataset(tmp_path)

    samples = read(
        **files,
        noise_ratios=0.5,
        integration_noise_ratios=0.25,
        counterfactual_noise_ratio=0.25,
        correct_ratio=0.25,
        closed_book=False,
        passages=4,
    )

    assert counts(samples["en/noise_robustness/0.5/0"]) == (2, 2, 0)
    assert counts(samples["en_int/information_integration/0.25/5"]) == (3, 1, 0)
    # 4 documents: one irrelevant, one right, so two false ones; two are there, so none is right.
    assert counts(samples["en_fact/counterfactual_robustness/0.25/9"]) == (0, 1, 2)
    assert not any(sample.closed_book for sample in samples.values())
    orders = {read(**files, seed=seed)["en/noise_robustness/0.4/0"].contexts for seed in range(5)}
    assert len(orders) > 1


def test_strict_names_the_line_that_has_too_few(tmp_path: Path) -> None:
    files = write_dataset(tmp_path)

    with pytest.raises(
        ReadError, match="line 2: expected at least 2 of 5 documents to be irrelevant where"
    ):
        read(**files, strict=True)


def test_lines_and_lists_and_compressed_files_are_read(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "en.json", BASE)
    listed = tmp_path / "list" / "en.json"
    listed.parent.mkdir()
    listed.write_text(json.dumps(BASE))
    packed = tmp_path / "packed" / "en.json.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    marked = tmp_path / "marked" / "en.jsonl"
    marked.parent.mkdir()
    marked.write_bytes(b"\xef\xbb\xbf" + lines.read_bytes())

    expected = read(noise_robustness=lines)

    for path in (listed, packed, marked):
        assert read(noise_robustness=path) == expected
    with pytest.raises(
        ValorError, match=r"expected each uid once, found it 2 times \(and 9 more\)"
    ):
        evaluate(
            {"reader": "dataset", "noise_robustness": [str(lines), str(listed)]},
            ["NoiseRobustness"],
            task="rgb",
        )


def test_recorded_responses_are_found_by_uid(tmp_path: Path) -> None:
    files = write_dataset(tmp_path)
    one = write_lines(
        tmp_path / "a.jsonl", [{"uid": "en/noise_robustness/0.4/0", "response": "Ann Holm"}]
    )
    other = tmp_path / "b.csv"
    other.write_text("uid,response\nen/negative_rejection/1.0/1,I cannot answer.\n")

    samples = read(**files, responses=[one, other])
    report = evaluate(
        {"reader": "dataset", "responses": [str(one), str(other)]}
        | {name: str(path) for name, path in files.items()},
        ["NoiseRobustness", "NegativeRejection"],
        task="rgb",
    )

    assert samples["en/noise_robustness/0.4/0"].response == "Ann Holm"
    assert samples["en/noise_robustness/0.2/0"].response is None
    assert report.find("NoiseRobustness", noise_ratio=0.4).value == 1.0
    assert report["NegativeRejection"].value["rejection_rate"] == 1.0
    left_out = {"no response": 1, "of another ability": 18}
    assert dict(report["NegativeRejection"][0].left_out) == left_out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"uid": f"en/noise_robustness/0.9/{number}", "response": "x"} for number in (0, 1)],
            "line 1, field 'uid': expected a uid of this data set in some row, found",
        ),
        (
            [{"uid": "en/noise_robustness/0.4/0", "response": "x"}] * 2,
            "line 2, field 'uid': expected each uid once, found",
        ),
        ([{"uid": "a"}], "expected a field 'response' or 'prediction' or 'actual_output', the"),
        ([{"response": "a"}], "expected a field 'uid' or 'id', the fields are 'response"),
        (
            [{"uid": "en/noise_robustness/0.4/0", "response": [1]}],
            "line 1, field 'response': expected text, found [1]",
        ),
    ],
)
def test_responses_that_do_not_fit_are_named(tmp_path: Path, rows: Any, message: str) -> None:
    files = write_dataset(tmp_path)

    with pytest.raises(ReadError, match=re.escape(message)):
        read(**files, responses=write_lines(tmp_path / "r.jsonl", rows))


def test_responses_to_other_prompts_are_passed_over(tmp_path: Path) -> None:
    uids = ("en/noise_robustness/0.9/0", "en/noise_robustness/0.4/0")
    rows = [{"uid": uid, "response": "x"} for uid in uids]

    samples = read(**write_dataset(tmp_path), responses=write_lines(tmp_path / "r.jsonl", rows))

    assert [uid for uid, sample in samples.items() if sample.response is not None] == [uids[1]]


def test_response_in_two_files_is_rejected(tmp_path: Path) -> None:
    rows = [{"uid": "en/noise_robustness/0.4/0", "response": "x"}]
    paths = [write_lines(tmp_path / name, rows) for name in ("r.jsonl", "s.jsonl")]

    with pytest.raises(
        ReadError, match="line 1, field 'uid': expected each uid once in all files, found"
    ):
        read(**write_dataset(tmp_path), responses=paths)


def changed(row: Any, **fields: Any) -> list[dict[str, Any]]:
    return [{**row, **fields}]


@pytest.mark.parametrize(
    ("ability", "rows", "message"),
    [
        (
            "noise_robustness",
            changed(BASE[0], positive="Ann won."),
            "line 1, field 'positive': expected a list of documents, got 'Ann won.",
        ),
        (
            "noise_robustness",
            changed(BASE[0], negative=[1]),
            "line 1, field 'negative': expected a list of documents, got [1]",
        ),
        (
            "noise_robustness",
            changed(BASE[0], answer=None),
            "line 1, field 'answer': expected an answer, found none",
        ),
        (
            "noise_robustness",
            changed(BASE[0], answer=0.5),
            "line 1, field 'answer': expected a text, a list of texts, or a list of",
        ),
        (
            "noise_robustness",
            changed(BASE[0], query=None),
            "line 1, field 'query': expected text, found no value",
        ),
        (
            "noise_robustness",
            INTEGRATION,
            "line 1, field 'positive': expected a list of documents, got [['Ann",
        ),
        (
            "information_integration",
            BASE,
            "line 1, field 'positive': expected a list of documents for each",
        ),
        ("counterfactual_robustness", BASE, "expected a field 'positive_wrong' of documents for"),
        (
            "counterfactual_robustness",
            changed(COUNTERFACTUAL[0], positive_wrong=["Bergen"]),
            "line 1: expected as many false documents as right ones, found 1 and 2",
        ),
        (
            "counterfactual_robustness",
            changed(COUNTERFACTUAL[0], fakeanswer=[["a"]]),
            "line 1, field 'fakeanswer': expected a text, a list of texts, or a list",
        ),
        (
            "noise_robustness",
            [BASE[0], BASE[0]],
            "line 2, field 'id': expected each uid once, found '0' as in line 1",
        ),
    ],
)
def test_a_question_that_does_not_fit_is_named(
    tmp_path: Path, ability: str, rows: Any, message: str
) -> None:
    path = write_lines(tmp_path / "en.json", rows)

    with pytest.raises(ReadError, match=re.escape(message)):
        read(**{ability: path})


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "en.json"
    path.write_text(json.dumps(BASE[0]) + "\n[1]\n")

    with pytest.raises(ReadError, match=r"line 2: expected one JSON object per line, found \[1\]"):
        read(noise_robustness=path)


def test_questions_without_an_id_are_called_by_their_line(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row.items() if key != "id"} for row in BASE]

    samples = read(negative_rejection=write_lines(tmp_path / "en.json", rows))

    assert list(samples) == ["en/negative_rejection/1.0/1", "en/negative_rejection/1.0/2"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "expected a file for at least one of them, found none"),
        (
            {"noise_robustness": "a", "passages": 0},
            "DatasetParameters: passages must be at least 1, got 0",
        ),
        (
            {"noise_robustness": "a", "noise_ratios": [40]},
            "DatasetParameters: noise_ratios must lie in [0, 1], got 40.0",
        ),
        (
            {"noise_robustness": "a", "noise_ratios": []},
            "DatasetParameters: noise_ratios must not be empty",
        ),
        (
            {
                "noise_robustness": "a",
                "counterfactual_noise_ratio": 0.6,
                "correct_ratio": 0.6,
            },
            "counterfactual_noise_ratio and correct_ratio must add up to at most 1,",
        ),
    ],
)
def test_inconsistent_parameters_are_rejected(parameters: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        DatasetParameters(**parameters)


def test_missing_file_suggests_the_closest_name(tmp_path: Path) -> None:
    write_dataset(tmp_path)

    with pytest.raises(ReadError, match="no such file"):
        read(noise_robustness=tmp_path / "enn.json")
    with pytest.raises(ReadError, match="no such file"):
        read(noise_robustness=tmp_path / "en.json", responses=tmp_path / "none.jsonl")


def test_the_reader_keeps_every_law_of_readers(tmp_path: Path) -> None:
    responses = write_lines(
        tmp_path / "r.jsonl", [{"uid": "en/noise_robustness/0.4/0", "response": "Ann"}]
    )
    files = write_dataset(tmp_path) | {"responses": responses}
    spec = Registry().find(ReaderSpec, "rgb.dataset")

    check_reader(spec, {name: str(path) for name, path in files.items()})
