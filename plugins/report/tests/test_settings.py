from __future__ import annotations

from valor_report.settings import differences


def test_different_data_label_maps_and_filters_are_reported():
    first = {"task": "text", "data": {"reader": "csv", "path": "a.csv"}, "filter": "x == 1"}
    second = {
        "task": "text",
        "data": {"reader": "csv", "path": "b.csv", "uid": "id"},
        "label_map": {"cat": "animal"},
    }

    assert list(differences(first, second)) == [
        "data.path: 'a.csv', then 'b.csv'",
        "filter: 'x == 1', then none",
        "data.uid: none, then 'id'",
        "label_map: none, then {'cat': 'animal'}",
    ]


def test_different_metric_parameter_is_reported_with_metric():
    first = {"metrics": [{"name": "lab.Gain@1", "bins": 5}, "lab.Loss@1"]}
    second = {"metrics": ["lab.Loss@1", {"name": "lab.Gain@2", "bins": 7}]}

    assert list(differences(first, second)) == ["lab.Gain: bins: 5, then 7"]


def test_only_changed_occurrence_of_metric_is_reported():
    first = {"metrics": [{"name": "lab.Gain", "k": 1}, {"name": "lab.Gain", "k": 2}]}
    second = {"metrics": [{"name": "lab.Gain", "k": 2}, {"name": "lab.Gain", "k": 3}]}

    assert list(differences(first, second)) == ["lab.Gain: k: 1, then 3"]


def test_settings_without_effect_and_missing_configs_are_ignored():
    first = {"task": "text", "output": ["a.json"], "engine": "local", "slices": []}

    assert list(differences(first, {"task": "text", "output": ["b.json"]})) == []
    assert list(differences(first, {})) == []


def test_different_model_of_judge_is_reported():
    first, second = ({"judge": {"kind": "x", "model": model}} for model in "ab")

    assert list(differences(first, second)) == ["judge.model: 'a', then 'b'"]
