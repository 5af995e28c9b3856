"""Metrics of Valor used as modules of evaluate."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import datasets
import dill
import evaluate
import numpy as np
import pytest
import valor_text
from evaluate.evaluator import TextClassificationEvaluator
from valor_evaluate import FOLDER, module
from valor_evaluate.exported.columns import columns_of
from valor_evaluate.exported.exported_metric import ExportedMetric

import valor_core
from valor_core import Registry
from valor_core.errors import (
    ConfigError,
    MissingExtraError,
    ParameterError,
    SchemaError,
    StateError,
    UnknownNameError,
)
from valor_core.specs import MetricSpec

from .exact_match import exact_match

TRUE = ["cat", "cat", "dog", "bee"]
SEEN = ["cat", "dog", "dog", "cat"]


def test_by_hand() -> None:
    # Two of four are right. cat: 1 right of 2 predicted and of 2 true, F1 = 2*1/(2+2); dog: 1 of 2
    # predicted and of 1 true, F1 = 2*1/(2+1); bee: never predicted, 0. Their mean: (1/2 + 2/3) / 3.
    assert module("classification.Accuracy").compute(predictions=SEEN, references=TRUE) == {
        "Accuracy": 2 / 4
    }
    f1 = module("classification.F1").compute(predictions=SEEN, references=TRUE)
    assert f1["F1/label:cat"] == 1 / 2
    assert f1["F1/label:dog"] == 2 / 3
    assert f1["F1/label:bee"] == 0.0
    assert f1["F1/average:macro"] == pytest.approx(7 / 18, abs=1e-16)


def test_exported_metric_has_info_of_evaluate() -> None:
    f1 = module("classification.F1")

    assert isinstance(f1, evaluate.Metric)
    assert f1.name == "classification.F1"
    assert f1.module_type == "metric"
    assert f1.description == f"{f1.spec.summary}."
    assert f1.features[0]["predictions"] == datasets.Value("string")
    assert "float32" not in str(f1.features)
    assert f1.spec.higher_is_better
    assert "0 items added" in repr(f1)


def test_bare_name_resolves_in_task() -> None:
    assert module("F1", task="classification").name == "classification.F1"


def test_added_items_are_counted_and_compute_resets() -> None:
    accuracy = module("classification.Accuracy")
    accuracy.add_batch(predictions=SEEN[:2], references=TRUE[:2])
    accuracy.add(prediction=SEEN[2], reference=TRUE[2])
    assert len(accuracy) == 3

    assert accuracy.compute(predictions=SEEN[3:], references=TRUE[3:]) == {"Accuracy": 2 / 4}
    assert len(accuracy) == 0
    assert accuracy.compute(predictions=["a"], references=["a"]) == {"Accuracy": 1.0}


def test_memory_holds_counts_and_not_the_items() -> None:
    accuracy = module("classification.Accuracy")
    sizes = []
    for _ in range(3):
        accuracy.add_batch(predictions=np.zeros(200_000, int), references=np.zeros(200_000, int))
        sizes.append(len(pickle.dumps(accuracy)))

    assert max(sizes) < 50_000
    assert accuracy.compute() == {"Accuracy": 1.0}


def test_undefined_value_is_none_with_reason_in_report() -> None:
    auc = module("classification.ROCAUC")

    scores = auc.compute(predictions=[0.25, 0.75], references=[1, 1])

    assert set(scores.values()) == {None}
    reasons = [result.undefined for result in auc.report.results]
    assert reasons == ["no ground truths of '0'", "no items without ground truth '1'"]


def test_no_items_have_no_value_and_nothing_added_is_an_error() -> None:
    rouge = module("text.ROUGE")
    assert rouge.compute(predictions=[], references=[]) == {"ROUGE": None}
    assert rouge.report.warnings == ("no datums were counted",)

    with pytest.raises(
        StateError, match=r"text\.ROUGE: expected items to compute it from, found none added"
    ):
        rouge.compute()


def test_parameters_may_be_given_to_compute() -> None:
    f1 = module("classification.F1")
    macro = {"F1/average:macro": pytest.approx(7 / 18, abs=1e-16)}
    assert f1.compute(predictions=SEEN, references=TRUE, average="macro") == macro

    # The same counts give the other average.
    f1.add_batch(predictions=SEEN, references=TRUE)
    assert f1.compute(average="macro") == macro
    assert f1.report.config["metrics"][0]["average"] == ["macro"]
    # The next items are computed with the parameters of the constructor.
    assert "F1/label:cat" in f1.compute(predictions=SEEN, references=TRUE)


def test_parameters_that_change_counting_are_rejected_after_first_item() -> None:
    rouge = module("text.ROUGE")
    rouge.add(prediction="running", reference="runs")

    with pytest.raises(
        ParameterError,
        match="expected use_stemmer=True before the first item is added, got it after 1",
    ):
        rouge.compute(use_stemmer=True)

    assert rouge.compute()["ROUGE/rouge1"] == 0.0
    stemmed = rouge.compute(predictions=["running"], references=["runs"], use_stemmer=True)
    assert stemmed["ROUGE/rouge1"] == 1.0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_pickle_keeps_counts(copied: Any) -> None:
    accuracy = module("classification.Accuracy")
    accuracy.add_batch(predictions=SEEN[:3], references=TRUE[:3])

    other = copied(accuracy)
    other.add(prediction=SEEN[3], reference=TRUE[3])

    assert other.compute() == {"Accuracy": 2 / 4}
    assert accuracy.compute() == {"Accuracy": 2 / 3}


def test_datasets_can_hash_it() -> None:
    assert datasets.fingerprint.Hasher.hash(module("text.ROUGE"))
    restored = dill.loads(dill.dumps(module("text.ROUGE", use_stemmer=True)))
    assert restored.compute(predictions=["runs"], references=["run"])["ROUGE/rouge1"] == 1.0


def test_decorated_function_becomes_module() -> None:
    exported = module(exact_match, ignore_case=True)
    exported = pickle.loads(pickle.dumps(exported))

    scores = exported.compute(predictions=["paris", "Rome"], references=["Paris", ["Milan"]])

    assert scores == {"ExactMatch": 0.5}


def test_combination_with_module_of_evaluate() -> None:
    combined = evaluate.combine(
        {
            "stemmed": module("text.ROUGE", use_stemmer=True),
            "plain": module("text.ROUGE"),
            "exact": module(exact_match),
        }
    )
    combined.add(predictions="running", references="runs")
    combined.add_batch(predictions=["a"], references=["a"])

    scores = combined.compute()

    assert scores["stemmed_ROUGE/rouge1"] == 1.0
    assert scores["plain_ROUGE/rouge1"] == 0.5
    assert scores["ExactMatch"] == 0.5
    twice = evaluate.combine([module("classification.F1"), module("classification.F1")])
    names = twice.compute(predictions=SEEN, references=TRUE)
    assert "classification.F1_0_F1/label:cat" in names
    assert "classification.F1_1_F1/label:cat" in names


def test_evaluators_of_evaluate_accept_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Complete call, with a stand-in for the model and its package."""

    class NoModel:
        pass

    stand_in = SimpleNamespace(PreTrainedModel=NoModel, TFPreTrainedModel=NoModel)
    base = import_module("evaluate.evaluator.base")
    monkeypatch.setattr(base, "transformers", stand_in, raising=False)
    evaluator = object.__new__(TextClassificationEvaluator)
    evaluator.task, evaluator.default_metric_name = "text-classification", None

    def pipe(texts: Any, **options: Any) -> list[dict[str, Any]]:
        return [{"label": item["text"].upper(), "score": 0.9} for item in texts]

    pipe.task = "text-classification"  # type: ignore[attr-defined]
    data = datasets.Dataset.from_dict({"text": ["a", "b", "b"], "label": [0, 1, 0]})

    def computed(**options: Any) -> Any:
        return evaluator.compute(
            pipe,
            data,
            metric=module("classification.Accuracy"),
            label_mapping={"A": 0, "B": 1},
            **options,
        )

    assert computed()["Accuracy"] == 2 / 3
    bootstrapped = computed(strategy="bootstrap", n_resamples=20, random_state=0)
    assert bootstrapped["Accuracy"]["score"] == 2 / 3


def test_evaluate_loads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluate.config.HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setattr("datasets.load.init_dynamic_modules", lambda *_: None, raising=False)
    monkeypatch.setattr("evaluate.loading.init_dynamic_modules", lambda *_: _package(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))

    loaded = evaluate.load(FOLDER, "classification.F1", average="macro")

    assert isinstance(pickle.loads(pickle.dumps(loaded)), ExportedMetric)
    scores = loaded.compute(predictions=SEEN, references=TRUE)
    assert scores == {"F1/average:macro": pytest.approx(7 / 18, abs=1e-16)}
    saved = evaluate.save(tmp_path / "scores.json", **scores)
    assert '"F1/average:macro": 0.38888888888888' in Path(saved).read_text(encoding="utf-8")
    with pytest.raises(
        ConfigError, match="config_name: expected the full name of a metric, got None"
    ):
        evaluate.load(FOLDER)


def _package(folder: Path) -> str:
    package = folder / "evaluate_modules"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    return str(package)


def test_works_without_docstrings_and_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like ``python -OO`` without a cache, where modules of evaluate cannot be made."""
    for made_by in (ExportedMetric, evaluate.EvaluationModule):
        for method in (made_by.add, made_by.add_batch, made_by.compute):
            monkeypatch.setattr(method, "__doc__", None)
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", "/dev/null/home")

    accuracy = module("classification.Accuracy")

    assert accuracy.compute(predictions=[1], references=[1]) == {"Accuracy": 1.0}


def test_evaluate_is_imported_when_module_is_made() -> None:
    script = "import sys, valor_evaluate; print('evaluate' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert done.stdout == b"False\n"


def test_module_without_evaluate_has_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)

    with pytest.raises(
        MissingExtraError,
        match=r"valor_evaluate\.module needs evaluate, which is not installed",
    ):
        module("classification.Accuracy")


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        (
            "text.Rogue",
            {},
            UnknownNameError,
            "metric 'text.Rogue': not declared by the plugin 'text'\nDid you mean 'text.ROUGE'?",
        ),
        (
            "classification.F1",
            {"avrage": "macro"},
            ParameterError,
            "classification.F1: avrage: unknown key\nDid you mean 'average'?",
        ),
        (
            "classification.F1",
            {"name": "F2"},
            ParameterError,
            "classification.F1: name: unknown key",
        ),
        (
            "classification.F1",
            {"data": {"lables": ["a"]}},
            ParameterError,
            "classification.F1: data.lables: unknown key\nDid you mean 'labels'?",
        ),
        (
            "classification.F1",
            {"data": ["a"]},
            ParameterError,
            "classification.F1: data must be a table of options, got ['a']",
        ),
        (
            "text.ROUGE",
            {"data": {"labels": ["a"]}},
            ParameterError,
            "text.ROUGE: data.labels: unknown key, nothing has to be said about columns of text",
        ),
        (
            "classification.F1",
            {"num_process": 2, "process_id": 2},
            ConfigError,
            "classification.F1: expected process_id from 0 on and below num_process, got 2 of 2",
        ),
    ],
)
def test_module_that_cannot_be_instantiated(
    name: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        module(name, **options)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"predictions": ["a"]},
            "classification.Accuracy: expected the column references, found none",
        ),
        (
            {"predictions": ["a"], "references": ["a", "b"]},
            "expected 1 references, one for each of predictions, got 2",
        ),
        (
            {"predictions": "a", "references": "b"},
            "expected predictions as a list, one for each item, got 'a'",
        ),
        (
            {"predictions": ["a"], "references": ["a"], "weights": [1]},
            "expected columns among predictions, references, uid, got 'weights'",
        ),
        (
            {"predictions": ["a"], "references": [None]},
            "references[0]: expected a class as text or number, got None",
        ),
    ],
)
def test_rejected_columns_are_not_counted(columns: dict[str, Any], message: str) -> None:
    accuracy = module("classification.Accuracy")
    accuracy.add(prediction="a", reference="a")

    with pytest.raises(SchemaError, match=re.escape(message)):
        accuracy.add_batch(**columns)

    assert len(accuracy) == 1
    assert accuracy.compute() == {"Accuracy": 1.0}


def test_duplicate_uid_is_rejected_and_not_counted() -> None:
    accuracy = module("classification.Accuracy")
    accuracy.add(prediction="a", reference="a", uid="q1")
    accuracy.add(prediction="a", reference="a", uid="q1")

    with pytest.raises(SchemaError, match="item 'q1': expected each uid once, found it 2 times"):
        accuracy.compute()

    assert accuracy.compute(predictions=["a"], references=["a"]) == {"Accuracy": 1.0}


def test_global_random_state_is_unchanged() -> None:
    np.random.seed(7)
    before = np.random.get_state()[1].tolist()  # type: ignore[index]

    module("text.ROUGE").compute(predictions=["a"], references=["a"])

    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


def test_report_equals_valor() -> None:
    rouge = module("text.ROUGE")
    rouge.compute(predictions=["a b"], references=["a c"])
    items = [valor_core.Text(0, response="a b", references=["a c"])]

    expected = valor_core.evaluate(items, ["text.ROUGE"])

    assert rouge.report.to_dict() == expected.to_dict()


def test_former_import_names_its_replacement() -> None:
    with pytest.raises(ImportError, match=r"^valor_text\.evaluate is now valor_evaluate$"):
        import_module("valor_text.evaluate")


def test_former_folder_still_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "evaluate_modules"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("evaluate.loading.init_dynamic_modules", lambda *_: _package(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    former = Path(valor_text.__file__).parent / "evaluate" / "valor_metric"

    loaded = evaluate.load(str(former), "text.ExactMatch")

    assert loaded.compute(predictions=["a"], references=["a"]) == {"ExactMatch": 1.0}


def test_missing_family_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    spec = registry.find(MetricSpec, "segmentation.mIOU")
    monkeypatch.setitem(sys.modules, "valor_segmentation", None)

    with pytest.raises(MissingExtraError, match=r"evaluate\[segmentation\]"):
        columns_of(spec, {}, registry)
