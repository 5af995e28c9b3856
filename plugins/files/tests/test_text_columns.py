"""Detection of tables of texts by the column names of Ragas, DeepEval, lm-eval and others."""

from __future__ import annotations

import json

import pytest
from valor_files.detect import matching_readers
from valor_files.text_columns import detected

from valor_core import evaluate
from valor_core.specs import Registry


def written(tmp_path, *rows):
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


@pytest.mark.parametrize("response", ["response", "actual_output"])
def test_table_with_responses_is_table_of_texts(tmp_path, response):
    file = tmp_path / "answers.csv"
    file.write_text(f"uid,{response}\na,Paris\n")

    known = detected((file,))

    assert known is not None
    assert (known.task, known.data) == ("text", {"path": str(file)})


def test_table_without_responses_is_not_table_of_texts(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("uid,score\na,1\n")

    assert detected((file,)) is None
    assert detected((file, file)) is None


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Who?", "answer": "Ann", "contexts": ["Ann did it."], "ground_truth": "Ann"},
        {"user_input": "Who?", "response": "Ann", "retrieved_contexts": ["x"], "reference": "Ann"},
        {"input": "Who?", "actual_output": "Ann", "expected_output": "Ann"},
        {"input": "Who?", "output": "Ann", "expected": "Ann"},
        {"prediction": "Ann", "reference": "Ann"},
        {"predictions": "Ann", "references": ["Bob", "Ann"]},
        {"id": 7, "question": "Who?", "answer": "x", "reference": "Ann", "prediction": "Ann"},
        {"question": "Who?", "prediction": "Ann", "answer": "Ann"},
        {"question": "Who?", "prediction": "Ann", "label": "Ann"},
        {"doc_id": 0, "doc": {"q": "Who?"}, "target": "Ann", "filtered_resps": ["Ann"]},
        {"vars.question": "Who?", "response.output": "Ann", "target": "Ann"},
        {
            "question": "Who?",
            "prediction": "Ann",
            "answers": {"text": ["Ann"], "answer_start": [0]},
        },
    ],
    ids=lambda row: " ".join(row),
)
def test_column_names_of_other_programs_are_read(tmp_path, row):
    file = written(tmp_path, row)
    (known,) = matching_readers([file], Registry(), metrics=["text.ExactMatch"])

    in_file = evaluate(known.section, ["text.ExactMatch"], task="text")
    in_memory = evaluate([row], ["text.ExactMatch"])

    assert in_file["ExactMatch"].value == in_memory["ExactMatch"].value == 1


def test_unique_id_is_uid(tmp_path):
    rows = [{"id": f"q{i}", "question": "Who?", "answer": "Ann"} for i in range(2)]

    assert detected((written(tmp_path, *rows),)).data["columns"]["uid"] == "id"


def test_repeated_id_is_not_uid(tmp_path):
    rows = [{"id": "q", "question": "Who?", "answer": "Ann"}] * 2

    assert "uid" not in detected((written(tmp_path, *rows),)).data["columns"]


def test_queries_with_contexts_need_no_response(tmp_path):
    known = detected((written(tmp_path, {"user_input": "When?", "retrieved_contexts": ["x"]}),))

    assert known.data == {"path": str(tmp_path / "rows.jsonl")}
    assert not known.is_guess


@pytest.mark.parametrize(
    "row",
    [
        {"label": "cat", "prediction": "cat"},
        {"target": 1, "prediction": 0},
        {"answer": "Ann"},
        {"response": {"output": "Ann"}, "vars": {"question": "Who?"}},
        {"doc": {}, "target": "yes", "filtered_resps": [["-1", "False"], ["-2", "True"]]},
    ],
    ids=lambda row: " ".join(row),
)
def test_other_tables_are_not_detected(tmp_path, row):
    assert detected((written(tmp_path, row),)) is None


def test_labels_are_not_texts_if_classification_reader_matches(tmp_path):
    file = written(tmp_path, {"question": "Who?", "prediction": "a", "label": "b"})

    assert {known.task for known in matching_readers([file], Registry())} == {"classification"}
