"""Write one saved state and its results for each metric that has none yet.

``uv run python tests/families/evaluation/save_states.py`` adds the files of new metrics and keeps
the files that are there, since later versions have to load states as earlier versions saved them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from valor_testing.data_set import Batches
from valor_testing.examples import datasets

from valor_core import Evaluator
from valor_core.errors import ValorError
from valor_core.specs import MetricSpec, Registry, TaskSpec
from valor_core.specs.spec import import_object

STATES = Path(__file__).parent / "states"

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "llm.Rubric": {"criteria": "Does the response answer the query?"},
    "text.Contains": {"substrings": ["a", "e"]},
    "text.Examples": {"by": "TokenF1"},
    "text.Regex": {"patterns": ["[a-m]", "t$"]},
}
"""Parameters of metrics that have no default for each."""

RESOURCES: Mapping[str, Any] = {"judge": {"client": "lexical", "cache": "off"}}

WITHOUT_FIXTURE = {
    "hf.Module": "its state is identified by an absolute path",
    "text.METEOR": "WordNet's data are not part of the repository",
}


def main() -> None:
    """Write the files of all metrics that have none."""
    STATES.mkdir(exist_ok=True)
    for spec in metrics():
        state = STATES / f"{spec.name}.npz"
        if state.exists() or spec.name in WITHOUT_FIXTURE:
            continue
        evaluator = best_example(spec)
        evaluator.save(state)
        write_results(state, evaluator)
        print(f"{state.name}: {state.stat().st_size} bytes")


def metrics() -> list[MetricSpec]:
    """Metrics of all installed plugins, by name."""
    return Registry().all(MetricSpec)


def examples(task: str) -> Mapping[str, Batches]:
    """Example data sets of a task, from the conformance kit or from the plugin of the task."""
    if found := datasets(task):
        return found
    reference = Registry().find(TaskSpec, task).examples
    assert reference is not None, f"{task}: the plugin declares no examples"
    return dict(import_object(reference)())


def best_example(spec: MetricSpec) -> Evaluator:
    """Evaluator of the example data set with the most defined results."""
    choice = {"name": spec.name, **PARAMETERS.get(spec.name, {})}
    found: list[tuple[int, Evaluator]] = []
    for batches in examples(spec.task).values():
        try:
            evaluator = count(choice, spec.task, batches)
        except ValorError:
            continue
        found.append((defined(evaluator), evaluator))
    return max(found, key=lambda pair: pair[0])[1]


def count(choice: Mapping[str, Any], task: str, batches: Batches) -> Evaluator:
    """Evaluator that has counted the batches, by metadata field where items have it."""
    needs_judge = choice["name"].split(".")[0] in ("llm", "nvidia") or "Judged" in choice["name"]
    evaluator = Evaluator(
        [choice], task, slices=["weather"], resources=RESOURCES if needs_judge else None
    )
    for batch in batches:
        evaluator.update(batch)
    evaluator.compute()
    return evaluator


def defined(evaluator: Evaluator) -> int:
    """Number of results that have a value."""
    return sum(result["value"] is not None for result in results(evaluator))


def results(evaluator: Evaluator) -> list[dict[str, Any]]:
    """Results of the whole and of each slice, as a report in JSON holds them."""
    report = evaluator.compute().to_dict()
    parts = [report, *report.get("slices", ())]
    return [result for part in parts for result in part["results"]]


def write_results(state: Path, evaluator: Evaluator) -> None:
    """Write the results next to the state, after loading it once as a check."""
    written = results(Evaluator.load(state))
    if written != results(evaluator):
        raise SystemExit(f"{state.name}: the loaded state has other results")
    state.with_suffix(".json").write_text(
        "[\n" + ",\n".join(json.dumps(result) for result in written) + "\n]\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
