"""The readers, through `valor_core.evaluate`, from files as people write them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from messages import refused
from valor_files import Table

from valor_core import Evaluator, evaluate
from valor_core.errors import ParameterError, UnknownNameError
from valor_core.results.results import Results
from valor_core.schemas.classification import Classification

from .files import METRICS, error, read, written
from .support import by_label, results_of

ITEMS = (
    Classification("a", "dog", {"dog": 0.9, "cat": 0.1}, {"weather": "sun", "year": 2020}),
    Classification("b", "cat", {"dog": 0.6, "cat": 0.4}, {"weather": "rain", "year": 2021}),
    Classification("c", "cat", {"dog": 0.3, "cat": 0.7}, {"weather": "sun", "year": 2021}),
    Classification("d", "dog", {"dog": 0.5, "cat": 0.5}, {"weather": "fog", "year": 2022}),
)

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of the lines given; its name says the format."""

    def write(name: str, *lines: str) -> Path:
        return written(tmp_path, name, *lines)

    return write


def expected() -> Results:
    return results_of(ITEMS, *METRICS)


# One row for each item, one column for each label


def wide_rows() -> list[dict[str, Any]]:
    return [
        {"uid": item.uid, "label": item.groundtruths[0].value}
        | {f"score_{label.value}": score for label, score in item.predictions}
        | dict(item.metadata)
        for item in ITEMS
    ]


def wide_file(folder: Path, suffix: str) -> Path:
    path, frame = folder / f"wide{suffix}", pd.DataFrame(wide_rows())
    if suffix == ".parquet":
        frame.to_parquet(path, row_group_size=1)
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif suffix == ".json":
        frame.to_json(path, orient="records")
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    return path


SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_wide_tables_of_every_format_say_the_same(tmp_path: Path, suffix: str) -> None:
    path = wide_file(tmp_path, suffix)

    assert read("wide", path=path).results == expected()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_table_read_in_parts_equals_the_whole(tmp_path: Path, suffix: str, workers: int) -> None:
    path = wide_file(tmp_path, suffix)
    engine = {"name": "local", "workers": workers, "mode": "threads"} if workers > 1 else None

    report = read("wide", path=path, partition_bytes=1, options={"engine": engine})

    assert report.results == expected()


def test_other_columns_are_metadata_to_slice_and_filter_by(tmp_path: Path) -> None:
    path = wide_file(tmp_path, ".csv")

    report = read("wide", path=path, options={"slices": ["weather"], "filter": "year >= 2021"})

    assert (report.counts["read"], report.counts["skipped"]) == (3, 1)
    assert [part[0].slice["weather"] for part in report.slices] == ["fog", "rain", "sun"]
    assert list(report.slice(weather="sun")) == list(results_of(ITEMS[2:3], *METRICS))


def test_columns_may_have_other_names(write: Write) -> None:
    path = write("t.csv", "image,truth,p:dog,p:cat", "a,dog,0.9,0.1", "b,cat,0.6,0.4")
    names = {"uid": "image", "label": "truth", "prefix": "p:", "key": "animal"}

    report = read("wide", "Accuracy", path=path, **names)

    assert report["Accuracy"].only.parameters["label_key"] == "animal"
    assert report["Accuracy"].value == 1 / 2


def test_score_columns_may_be_listed(write: Write) -> None:
    path = write("t.csv", "uid,label,dog,cat,age", "a,dog,0.9,0.1,7", "b,cat,0.6,0.4,8")

    report = read("wide", "Counts", path=path, scores=["dog", "cat"])

    assert list(by_label(report.results)) == ["cat", "dog"]


UNTOLD = [{"uid": f"i{i}", "label": None if i in (3, 7) else "dog"} for i in range(9)]


def untold_file(folder: Path, suffix: str) -> Path:
    """Two items without a label and one whose list of labels is empty."""
    path, frame = folder / f"untold{suffix}", pd.DataFrame(UNTOLD)
    frame["score_dog"], frame["prediction"] = 0.75, frame["label"]
    if suffix == ".parquet":
        frame.to_parquet(path, row_group_size=2)
    elif suffix == ".csv":
        frame.loc[8, ["label", "prediction"]] = "[]"
        frame.to_csv(path, index=False)
    else:
        rows = [row | {"score_dog": 0.75, "prediction": row["label"]} for row in UNTOLD]
        rows[8] |= {"label": [], "prediction": []}
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("partition_bytes", [1, 1 << 20])
@pytest.mark.parametrize("has_pyarrow", [True, False])
@pytest.mark.parametrize(
    ("suffix", "unit"), [(".csv", "rows"), (".jsonl", "lines"), (".parquet", "rows")]
)
def test_empty_labels_are_none_counted_and_warned_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    unit: str,
    has_pyarrow: bool,
    partition_bytes: int,
) -> None:
    path = untold_file(tmp_path, suffix)
    if not has_pyarrow and suffix != ".parquet":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    first = f"{path}:{5 if suffix == '.csv' else 4}"
    warnings = tuple(
        f"2 {unit} without a label in {name!r}; write [] where none is meant (first: {first})"
        for name in ("label", "prediction")
    )
    trues = 7 if suffix == ".parquet" else 6

    wide = read("wide", "Counts", path=path, partition_bytes=partition_bytes)
    predicted = read("predicted", "Counts", path=path, partition_bytes=partition_bytes)

    assert by_label(wide.results)["dog"]["tp"] == by_label(predicted.results)["dog"]["tp"] == trues
    assert wide.warnings == warnings[:1]
    assert predicted.warnings == warnings


def test_empty_labels_of_a_table_in_memory_are_warned_of() -> None:
    frame = pd.DataFrame({"y_true": ["dog", None], "y_pred": ["dog", np.nan]})

    assert evaluate(frame, ["Accuracy"]).warnings == (
        "1 row without a label in 'y_pred'; write [] where none is meant (first: data:1)",
        "1 row without a label in 'y_true'; write [] where none is meant (first: data:1)",
    )


def test_empty_labels_of_a_stream_are_counted_together() -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    for label in ("dog", None, "cat", None):
        evaluator.update(pd.DataFrame({"y_true": [label], "y_pred": ["dog"]}))

    assert evaluator.compute().warnings == (
        "2 rows without a label in 'y_true'; write [] where none is meant (first: data:0)",
    )


def test_warning_names_the_first_empty_label(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        rows = [f"{name[0]}{i},{'' if i > 10 else 'dog'},dog" for i in range(200)]
        written(tmp_path, name, "uid,label,prediction", *rows)
    paths = [str(tmp_path / "b.csv"), str(tmp_path / "a.csv")]
    data = {"reader": "predicted", "path": paths, "partition_bytes": 64}
    first, second = (Evaluator(["Accuracy"], "classification") for _ in range(2))

    reports = [
        evaluate(data, ["Accuracy"], "classification", engine=engine)
        for engine in ("local", {"name": "local", "workers": 3, "mode": "threads"})
    ]
    first.update({"reader": "predicted", "path": paths[:1]})
    second.update({"reader": "predicted", "path": paths[1:]})
    second.save(tmp_path / "state.npz")
    first.merge(Evaluator.load(tmp_path / "state.npz"))

    expected = (
        "378 rows without a label in 'label'; write [] where none is meant "
        f"(first: {tmp_path / 'a.csv'}:13)",
    )
    assert [report.warnings for report in [*reports, first.compute()]] == [expected] * 3


def test_empty_lists_differ_from_empty_cells(write: Write, tmp_path: Path) -> None:
    rows = [
        {"groundtruths": "dog", "predictions": {"dog": 0.5}},
        {"groundtruths": [], "predictions": {"dog": 0.5}},
        {"groundtruths": None, "predictions": {"dog": 0.5}},
        {"predictions": {"dog": 0.5}},
        {"groundtruths": "dog", "predictions": []},
        {"groundtruths": "dog", "predictions": None},
    ]

    plain, mixed = (
        read("lists", "Accuracy", path=write(name, *map(json.dumps, file_rows)))
        for name, file_rows in (("plain.jsonl", rows[:4]), ("mixed.jsonl", rows))
    )

    def said(count: int, name: str, file: str, line: int) -> str:
        first = f"(first: {tmp_path / file}:{line})"
        lines = "line" if count == 1 else "lines"
        return f"{count} {lines} without a label in {name!r}; write [] where none is meant {first}"

    assert plain.warnings == (said(2, "groundtruths", "plain.jsonl", 3),)
    assert mixed.warnings == (
        said(2, "groundtruths", "mixed.jsonl", 3),
        said(1, "predictions", "mixed.jsonl", 6),
    )
    assert (plain["Accuracy"].value, mixed["Accuracy"].value) == (1.0, 1 / 3)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("t.jsonl", ['{"uid": "a", "label": ["dog", "cat"], "score_dog": 0.9, "score_cat": 0.8}']),
        ("t.csv", ["uid,label,score_dog,score_cat", 'a,"[""dog"", ""cat""]",0.9,0.8']),
    ],
)
def test_several_ground_truths_are_a_list(write: Write, name: str, lines: list[str]) -> None:
    choice = {"name": "Accuracy", "hardmax": False, "score_thresholds": 0.0}
    report = read("wide", choice, path=write(name, *lines))

    assert report["Accuracy"].value == 1.0


@pytest.mark.parametrize(("cell", "found"), [("nan", "'nan'"), ("inf", "'inf'"), ("", "no value")])
def test_a_score_that_is_no_number_names_file_row_and_column(
    write: Write, cell: str, found: str
) -> None:
    path = write("t.csv", "uid,label,score_dog,score_cat", "a,dog,0.9,0.1", f"b,dog,0.9,{cell}")

    message = error("wide", path=path)

    assert f"{path}, row 3, column 'score_cat'" in message
    assert found in message


def test_missing_column_suggests_closest_match(write: Write) -> None:
    path = write("t.csv", "uid,lable,score_dog", "a,dog,0.9")

    message = error("wide", path=path)

    assert "expected a column 'label'" in message
    assert "Did you mean 'lable'?" in message
    assert "Did you mean 'score_dog'?" in error("wide", path=path, scores=["score_dgo"])
    assert "no column that starts with 'p_'" in error("wide", path=path, prefix="p_")


def test_a_truncated_file_of_json_lines_names_the_line(tmp_path: Path) -> None:
    path = wide_file(tmp_path, ".jsonl")
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")

    assert f"{path}, line 4: expected one JSON object per line" in error("wide", path=path)


def test_a_uid_in_two_parts_is_an_error(write: Write) -> None:
    path = write("t.csv", "uid,label,score_dog", "a,dog,0.9", "b,dog,0.9", "a,dog,0.8")

    assert error("wide", path=path).startswith(
        f"{path}, row 4, column 'uid': expected each uid once, found 'a' as in row 2"
    )
    with pytest.raises(Exception, match="item 'a': expected each uid once"):
        read("wide", path=path, partition_bytes=1)


def test_a_table_of_no_items_has_no_data(write: Write) -> None:
    report = read("wide", "Accuracy", path=write("t.csv", "uid,label,score_dog"))

    assert report["Accuracy"].only.undefined == "no data to compute it from"


# One row for each ground truth, one for each score


@pytest.fixture
def long_files(write: Write) -> dict[str, Path]:
    truths = [f"{item.uid},{item.groundtruths[0].value}" for item in ITEMS]
    scores = [
        f"{item.uid},{label.value},{score}" for item in ITEMS for label, score in item.predictions
    ]
    facts = [f"{item.uid},{item.metadata['weather']},{item.metadata['year']}" for item in ITEMS]
    return {
        "groundtruths": write("truths.csv", "uid,label", *truths),
        # the rows of an item can stand anywhere; ties go to the first of them
        "predictions": write("scores.csv", "uid,label,score", *scores[::2], *scores[1::2]),
        "metadata": write("facts.csv", "uid,weather,year", *facts[::-1]),
    }


def test_long_tables(long_files: dict[str, Path]) -> None:
    report = read("long", **long_files, options={"slices": ["weather"]})

    assert report.results == expected()
    sunny = [item for item in ITEMS if item.metadata["weather"] == "sun"]
    assert list(report.slice(weather="sun")) == list(results_of(sunny, *METRICS))


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_long_tables_of_other_formats(
    long_files: dict[str, Path], tmp_path: Path, suffix: str
) -> None:
    for name, path in long_files.items():
        frame, other = pd.read_csv(path), tmp_path / f"{name}{suffix}"
        if suffix == ".parquet":
            frame.to_parquet(other)
        else:
            frame.to_json(other, orient="records", lines=True)
        long_files[name] = other

    assert read("long", **long_files).results == expected()


def test_items_on_one_side_only_and_labels_of_several_keys(write: Write) -> None:
    truths = write("t.csv", "uid,key,label", "a,animal,dog", "a,colour,white", "b,animal,cat")
    scores = write(
        "s.csv",
        "uid,key,label,score",
        "a,animal,dog,0.9",
        "a,colour,black,0.8",
        "z,animal,dog,0.4",
    )

    report = read("long", "Accuracy", "Counts", groundtruths=truths, predictions=scores)

    assert report["Accuracy"].find(label_key="animal").value == 1 / 2
    assert report["Accuracy"].find(label_key="colour").value == 0.0
    dog = report["Counts"].find(label_key="animal", label="dog").value
    assert dog == {"tp": 1, "fp": 1, "fn": 0, "tn": 1}


def test_facts_may_be_missing_and_may_not_be_of_strangers(
    long_files: dict[str, Path], write: Write
) -> None:
    facts = write("some.csv", "uid,weather", "a,sun")
    strange = write("strange.csv", "uid,weather", "a,sun", "z,rain")
    twice = write("twice.csv", "uid,weather", "a,sun", "a,rain")

    report = read("long", **long_files | {"metadata": facts}, options={"slices": ["weather"]})

    assert [part[0].slice for part in report.slices] == [{"weather": "sun"}, {"weather": None}]
    assert (
        "row 3, column 'uid': expected an item with a ground truth or a prediction, found 'z'"
        in error("long", **long_files | {"metadata": strange})
    )
    assert "row 3, column 'uid': expected each uid once, found 'a' as in row 2" in error(
        "long", **long_files | {"metadata": twice}
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["uid,label,score", "a,dog,0.9", "b,dog,nan"], "row 3, column 'score': must be finite"),
        (["uid,label,scroe", "a,dog,0.9"], "Did you mean 'scroe'?"),
        (["uid,label,score", "a,,0.9"], "row 2, column 'label': expected a label"),
        (["uid,label,score", "a,dog,0.9", "a,dog,0.8"], "item 'a', predictions: expected each"),
    ],
)
def test_errors_of_long_tables_name_the_place(
    long_files: dict[str, Path], write: Write, lines: list[str], words: str
) -> None:
    assert words in error("long", **long_files | {"predictions": write("bad.csv", *lines)})


# One row for each item, predictions as a list


def lists_rows() -> list[dict[str, Any]]:
    """Every way to write predictions, one after the other."""
    a, b, c, d = (
        {"uid": item.uid, "groundtruths": item.groundtruths[0].value} | dict(item.metadata)
        for item in ITEMS
    )
    return [
        a | {"predictions": {"dog": 0.9, "cat": 0.1}},
        b | {"predictions": ["dog", "cat"], "scores": [0.6, 0.4]},
        c | {"predictions": [{"label": "dog", "score": 0.3}, {"label": "cat", "score": 0.7}]},
        d | {"predictions": {"class": {"dog": 0.5, "cat": 0.5}}},
    ]


def test_lists_written_in_every_way(write: Write) -> None:
    path = write("t.jsonl", *map(json.dumps, lists_rows()))

    for partition_bytes in (1, 1 << 20):
        report = read(
            "lists", path=path, partition_bytes=partition_bytes, options={"slices": ["weather"]}
        )
        assert report.results == expected()
        assert list(report.slice(weather="fog")) == list(results_of(ITEMS[3:], *METRICS))


def test_lists_in_a_csv_file_are_json(write: Write) -> None:
    path = write(
        "t.csv",
        "uid,groundtruths,predictions,scores",
        'a,dog,"[""dog"",""cat""]","[0.9,0.1]"',
        "b,cat,dog,0.7",
        'c,"[""cat""]","{""cat"": 0.4}",',
        "d,dog,,",
    )

    report = read("lists", "Counts", path=path)

    assert by_label(report.results) == {
        "cat": {"tp": 1, "fp": 0, "fn": 1, "tn": 2},
        "dog": {"tp": 1, "fp": 1, "fn": 1, "tn": 1},
    }


def test_lists_in_a_parquet_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "uid": [item.uid for item in ITEMS],
            "groundtruths": [item.groundtruths[0].value for item in ITEMS],
            "predictions": [[label.value for label, _ in item.predictions] for item in ITEMS],
            "scores": [[score for _, score in item.predictions] for item in ITEMS],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")

    assert read("lists", path=tmp_path / "t.parquet").results == expected()


def test_labels_of_several_keys_and_facts_in_a_table(write: Write) -> None:
    row = {
        "uid": "a",
        "groundtruths": {"animal": "dog", "colour": ["white", "black"]},
        "predictions": [
            {"key": "animal", "label": "dog", "score": 0.5},
            {"key": "colour", "label": "white", "score": 0.6},
        ],
        "metadata": {"weather": "sun"},
        "ignored": True,
    }
    path = write("t.jsonl", json.dumps(row))

    report = read("lists", "Accuracy", path=path, options={"filter": "weather == 'sun'"})

    assert report["Accuracy"].find(label_key="animal").value == 1.0
    assert report["Accuracy"].find(label_key="colour").value == 0.0


def test_score_in_a_separate_cell_may_end_in_zeros(write: Write) -> None:
    path = write("t.csv", "uid,groundtruths,predictions,scores", "a,dog,dog,0.90")

    assert read("lists", "Accuracy", path=path)["Accuracy"].value == 1.0


def test_metadata_is_read_from_a_table_and_from_columns(write: Write) -> None:
    path = write(
        "t.csv",
        "uid,groundtruths,predictions,scores,metadata,city",
        'a,dog,dog,0.9,"{""weather"": ""sun""}",Oslo',
        "b,dog,cat,0.9,,Rome",
    )

    report = read("lists", "Accuracy", path=path, options={"slices": [["weather", "city"]]})

    assert [dict(part[0].slice) for part in report.slices] == [
        {"weather": "sun", "city": "Oslo"},
        {"weather": None, "city": "Rome"},
    ]


def test_predictions_may_be_pairs_of_label_and_score_as_in_python(write: Write) -> None:
    pairs = [["dog", 0.75], ["cat", 0.25]]
    tables = [{"label": "dog", "score": 0.75}, ["cat", 0.25]]
    rows = {
        name: write(
            f"{name}.jsonl", json.dumps({"uid": "a", "groundtruths": "cat"} | {"predictions": cell})
        )
        for name, cell in {"pairs": pairs, "mixed": tables, "table": dict(pairs)}.items()
    }

    found = [read("lists", "ROCAUC", "Accuracy", path=path).results for path in rows.values()]

    assert found[0] == found[1] == found[2]
    assert found[0]["Accuracy"].value == 0.0


def test_other_columns_of_a_list_are_read_once(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"uid": "a", "groundtruths": "dog", "predictions": {"dog": 0.5}, "weather": "sun"}
    path = write("t.jsonl", *(json.dumps(row | {"uid": str(i)}) for i in range(50)))
    asked: list[str] = []
    values = Table.values
    monkeypatch.setattr(Table, "values", lambda table, n: asked.append(n) or values(table, n))

    read("lists", "Accuracy", path=path)

    assert asked.count("weather") == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"predictions": ["dog", "cat"], "scores": [0.6]},
            "field 'scores': expected a list of 2 scores, one for each prediction, found 1",
        ),
        (
            {"predictions": "dog"},
            "field 'predictions': expected a score with each label, found 'dog'\n"
            'Write it as: {"dog": 0.5}, or name the column of scores under data.scores.',
        ),
        ({"predictions": ["dog"]}, "expected a score with each label, found 'dog'"),
        ({"predictions": [["dog"]]}, "expected pairs of label and score, found ['dog']"),
        ({"predictions": [["dog", "x"]]}, "expected a finite number as score, found 'x'"),
        ({"predictions": {"dog": float("nan")}}, "expected a finite number as score, found nan"),
        ({"predictions": {"dog": "much"}}, "expected a finite number as score, found 'much'"),
        ({"predictions": [{"label": "dog"}]}, "expected tables with label and score"),
        ({"predictions": {"dog": 0.5}, "groundtruths": 1.5}, "expected a label as text or whole"),
        (
            {"predictions": {"dog": 0.5}, "groundtruths": "dog\0"},
            "field 'groundtruths': expected a label without the character NUL, found 'dog\\x00'",
        ),
        (
            {"predictions": {"dog\0": 0.5}},
            "field 'predictions': expected a label without the character NUL, found 'dog\\x00'",
        ),
        ({"predictions": {"dog": 0.5}, "metadata": "sun"}, "expected a table of fields, found"),
        ({"prediction": {"dog": 0.5}}, "Did you mean 'prediction'?"),
    ],
)
def test_errors_of_lists_name_the_place(write: Write, more: dict[str, Any], words: str) -> None:
    path = write("t.jsonl", json.dumps({"uid": "a", "groundtruths": "dog"} | more))

    message = error("lists", path=path)

    assert str(path) in message
    assert words in message


# Classes that are numbers


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_classes_of_a_parquet_file_may_be_whole_numbers(tmp_path: Path, dtype: Any) -> None:
    classes = np.array([0, 1, 1], dtype=dtype)
    frame = pd.DataFrame({"uid": classes.cumsum(), "label": classes, "year": [2020, 2021, 2020]})
    wide = frame.assign(score_0=[0.9, 0.2, 0.6], score_1=[0.1, 0.8, 0.4])
    lists = frame.assign(groundtruths=classes, predictions=[0, 1, 0], scores=[0.9, 0.8, 0.6])
    scores = frame.assign(label=np.array([0, 1, 0], dtype=dtype), score=[0.9, 0.8, 0.6])
    paths = {name: tmp_path / f"{name}.parquet" for name in ("truths", "wide", "lists", "scores")}
    for name, made in zip(paths, (frame, wide, lists, scores), strict=True):
        made.to_parquet(paths[name])

    reports = [
        read("wide", "Accuracy", path=paths["wide"], options={"slices": ["year"]}),
        read("lists", "Accuracy", path=paths["lists"]),
        read("long", "Accuracy", groundtruths=paths["truths"], predictions=paths["scores"]),
    ]

    assert [report["Accuracy"].value for report in reports] == [2 / 3] * 3
    assert [part[0].slice["year"] for part in reports[0].slices] == [2020, 2021]


# Choosing a reader


def test_unknown_reader_or_parameter_suggests_closest_match(
    tmp_path: Path,
) -> None:
    path = wide_file(tmp_path, ".csv")

    with refused(UnknownNameError):
        read("wyde", path=path)
    with refused(ParameterError):
        read("wide", paht=path)
    with refused(ParameterError):
        read("wide", path=path, partition_bytes=0)


def test_scores_keep_every_digit_of_the_file(write: Write) -> None:
    scores = np.random.default_rng(0).random(5).tolist()
    rows = [f"{uid},dog,{score!r}" for uid, score in enumerate(scores)]

    path = write("t.csv", "uid,label,score_dog", *rows, "x,cat,0.0")
    metric = {"name": "ROCCurve", "drop_intermediate": False}
    curve = read("wide", metric, path=path, unscored_labels=True)

    assert curve["ROCCurve"].value["dog"]["thresholds"] == [None, *sorted(scores)[::-1], 0.0]
