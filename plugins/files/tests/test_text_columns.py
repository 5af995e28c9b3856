"""Detection of tables of texts by the column names of Ragas, DeepEval, lm-eval and others."""

from __future__ import annotations

import json

import pytest
from valor_files.detect import matching_readers
from valor_files.text_columns import detected

from valor_core import evaluate
from valor_core.errors import ReadError
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


def two_files(tmp_path, truths, predictions):
    files = tmp_path / "truths.jsonl", tmp_path / "found.jsonl"
    for file, rows in zip(files, (truths, predictions), strict=True):
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return files


@pytest.mark.parametrize("reference", ["reference", "answer", "target"])
@pytest.mark.parametrize("response", ["prediction", "answer", "response"])
def test_file_of_references_and_file_of_answers_are_joined_by_id(tmp_path, reference, response):
    truths = [
        {"id": "q1", "question": "Who?", reference: "Ann"},
        {"id": "q2", "question": "Who?", reference: "Bob"},
    ]
    files = two_files(tmp_path, truths, [{"id": f"q{i}", response: "Ann"} for i in (2, 1)])

    report = evaluate(*files, ["text.ExactMatch"])

    assert report["ExactMatch"].value == 1 / 2
    assert report.warnings == ()


def test_file_of_answers_may_be_the_first_one_or_a_csv(tmp_path):
    truths, found = tmp_path / "truths.csv", tmp_path / "found.jsonl"
    truths.write_text("id,reference,site\n1,Ann,east\n2,Bob,west\n")
    found.write_text('{"id": "2", "output": "Bob"}\n{"id": "1", "output": "Bob"}\n')

    report = evaluate(found, truths, ["text.ExactMatch"], slices=["site"])

    assert report["ExactMatch"].value == 1 / 2
    assert report.slice(site="west")["ExactMatch"].value == 1


def test_answers_without_reference_and_references_without_answer_are_listed(tmp_path):
    truths = [{"id": name, "reference": "Ann"} for name in ("a", "b")]
    files = two_files(tmp_path, truths, [{"id": name, "answer": "Ann"} for name in ("b", "c")])

    report = evaluate(*files, ["text.ExactMatch"])

    assert report.counts["read"] == 2
    assert set(report.warnings) == {
        f"1 line without a prediction in {files[1]} (first: {files[0]}:1)",
        f"1 line with a prediction whose item is not in {files[0]} (first: {files[1]}:2)",
    }


def test_files_of_answers_to_other_questions_name_one_of_each(tmp_path):
    files = two_files(tmp_path, [{"id": "a", "reference": "x"}], [{"id": "b", "answer": "x"}])

    with pytest.raises(ReadError, match=r"expected an item of .*, such as 'a', found 'b'"):
        evaluate(*files, ["text.ExactMatch"])


def test_answer_twice_in_the_file_of_answers_names_both_lines(tmp_path):
    files = two_files(tmp_path, [{"id": "a", "reference": "x"}], [{"id": "a", "answer": "x"}] * 2)

    with pytest.raises(ReadError, match="line 2, field 'id': expected each uid once, found 'a'"):
        evaluate(*files, ["text.ExactMatch"])


def test_frames_of_references_and_answers_are_joined():
    truths = {"id": ["a", "b"], "reference": ["x", "y"]}
    found = {"id": ["b", "a"], "answer": ["y", "y"]}

    assert evaluate(truths, found, ["text.ExactMatch"])["ExactMatch"].value == 1 / 2
