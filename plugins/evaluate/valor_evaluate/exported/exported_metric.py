"""Metric of Valor with the interface of a module of evaluate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import evaluate
from attrs import NOTHING, evolve
from evaluate.module import EvaluationModuleInfoMixin

from valor_core import Evaluator
from valor_core.errors import ConfigError, ParameterError, SchemaError, StateError, short_repr
from valor_core.results import Report, Result
from valor_core.results.result import is_number
from valor_core.schemas import DEFAULT_KEY
from valor_core.specs import MetricSpec
from valor_evaluate.exported.columns import Columns, columns_of
from valor_evaluate.exported.process_barrier import ProcessBarrier

__all__ = ["ExportedMetric"]

_NAMES_HERE = {
    "y_true": "references",
    "y_score": "predictions",
    "y_pred": "predictions",
    "labels=[…]": 'data={"labels": […]}',
}
"""Names of columns and options in errors of schemas, and their names here."""

_REMEDIES_HERE = {
    "from_arrays(": 'Name the class of each column of predictions: data={"labels": […]}.',
    "invalid_geometry": 'Correct it, or skip such objects: data={"invalid_geometry": "skip"}.',
    "data.values": 'Give the value a label, data={"labels": {…}}, null where it is background; or '
    'leave pixels of references out that have it: data={"ignore": […]}.',
}
"""Remedies here, by part of a remedy that mentions a config or a function of a family."""


class ExportedMetric(evaluate.Metric):  # type: ignore[misc]
    """Metric of Valor as a module of evaluate, which counts items in the states of Valor.

    Items are counted immediately and not stored: nothing is written to a file, and memory grows
    with the items only if the state of the metric does. Results do not depend on the split into
    batches.

    Parameters
    ----------
    config_name : str or MetricSpec
        Full name of the metric, or a decorated function.
    keep_in_memory, hash, max_concurrent_cache_files : optional
        Ignored; evaluate passes them to every module, but there is no cache.
    num_process, process_id : int
        Number of processes that each count a part of the items, and number of this process. Process
        0 gathers all counts in `compute`, which returns None in the others.
    cache_dir, experiment_id, timeout : optional
        Shared folder of several processes, prefix of their files, and seconds to wait for each
        other. A single process writes no files.
    task : str, optional
        Task, for a metric of several tasks.
    data : mapping, optional
        Settings for reading columns, such as the ``labels`` of indices.
    resources : mapping of str to mapping, optional
        Parameters of the resources of the metric, such as a judge.
    **parameters
        Parameters of the metric.

    Attributes
    ----------
    spec : MetricSpec
        Declaration of the metric: its direction, range and version.
    report : Report or None
        Report of the latest `compute`, with the reason for each None.

    Raises
    ------
    ConfigError
        If no metric is named, or the process number is invalid.
    RegistryError
        If no installed plugin has the metric.
    ParameterError
        If the metric or its columns reject an option.
    """

    def __init__(
        self,
        config_name: str | MetricSpec | None = None,
        keep_in_memory: bool = False,
        cache_dir: str | None = None,
        num_process: int = 1,
        process_id: int = 0,
        experiment_id: str | None = None,
        hash: str | None = None,
        max_concurrent_cache_files: int = 10_000,
        timeout: float = 100,
        *,
        task: str | None = None,
        data: Mapping[str, Any] | None = None,
        resources: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        # The base constructor creates a folder in the user's cache, which may be read-only, and
        # requires docstrings, which `python -OO` removes.
        self.metric, self.task = _metric(config_name), task
        self.parameters, self.resources = parameters, resources
        self._begin()
        self.spec: MetricSpec = self._evaluator.evaluation.plan.metrics[0].spec
        _check_processes(self.spec, num_process, process_id)
        self.columns: Columns = columns_of(
            self.spec, {} if data is None else data, self._evaluator.registry
        )
        self.report: Report | None = None
        self._barrier: ProcessBarrier | None = None
        if num_process > 1:
            folder = Path(cache_dir or evaluate.config.HF_METRICS_CACHE, self.spec.name)
            experiment = experiment_id or "default_experiment"
            self._barrier = ProcessBarrier(folder, experiment, process_id, num_process, timeout)
        self.config_name = self.spec.name
        self.num_process, self.process_id = num_process, process_id
        self.keep_in_memory, self.timeout = keep_in_memory, timeout
        self.max_concurrent_cache_files = max_concurrent_cache_files
        self.seed = None
        self._hash = hash
        info = self._info()
        info.experiment_id = experiment_id or "default_experiment"
        EvaluationModuleInfoMixin.__init__(self, info)

    def __len__(self) -> int:
        """Number of items added since the latest `compute`."""
        return self._added

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"<ExportedMetric {self.spec.name!r}{given}: {self._added:,} items added>"

    def _counting(self, parameters: Mapping[str, Any]) -> Evaluator:
        if "name" in parameters:
            called = self.metric if isinstance(self.metric, str) else self.metric.name
            raise ParameterError("name: unknown key", place=f"{called}: ")
        choice = {"name": self.metric, **parameters}
        return Evaluator([choice], self.task, resources=self.resources)

    def _info(self) -> evaluate.MetricInfo:
        spec = self.spec
        return evaluate.MetricInfo(
            description=f"{spec.summary}.",
            citation="\n".join(map(str, spec.references)),
            features=_only(self.columns.features),
            inputs_description=f"Columns: {', '.join(self.columns.names)}.",
            reference_urls=[one.url for one in spec.references if one.url],
            streamable=True,
            module_name=spec.name,
            config_name=spec.name,
        )

    def add(self, *, prediction: Any = NOTHING, reference: Any = NOTHING, **columns: Any) -> None:
        """Count one item.

        Parameters
        ----------
        prediction, reference, **columns
            Values, also by name of the column. None is a missing value.

        Raises
        ------
        SchemaError
            As `add_batch`.
        """
        item = {"predictions": prediction, "references": reference} | columns
        self._count({name: [value] for name, value in item.items() if value is not NOTHING})

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Count a batch of items.

        Parameters
        ----------
        predictions, references, **columns : sequence
            One value per item. The task determines the columns.

        Raises
        ------
        SchemaError
            If columns are missing, unknown, of different lengths, or invalid. None of their items
            is counted.
        """
        given = {"predictions": predictions, "references": references, **columns}
        self._count({name: column for name, column in given.items() if column is not None})

    def compute(
        self, *, predictions: Any = None, references: Any = None, **given: Any
    ) -> dict[str, Any] | None:
        """Return the values for the added items and the given columns, and start again.

        Parameters
        ----------
        predictions, references, **given
            Columns, which are added first, and parameters of the metric, which replace those of the
            constructor.

        Returns
        -------
        dict of str to float or None
            Values by name, as in `scores`. `report` has the reason for each None. In processes
            other than the first, None instead of the dictionary.

        Raises
        ------
        SchemaError
            As `add_batch`.
        ParameterError
            If the metric rejects a parameter, or would have counted the added items differently.
        StateError
            If no item was added, or another process does not arrive in time.
        """
        named = {"predictions": predictions, "references": references}
        named |= {name: given.pop(name) for name in self.columns.names if name in given}
        columns = {name: column for name, column in named.items() if column is not None}
        counted, wanted = self._evaluator, self._evaluator
        if given:
            wanted = self._counting({**self.parameters, **given})
            if self._started:
                self._check_counted_alike(wanted, given)
            else:
                counted = wanted
        if columns:
            self._count(columns, counted)
        elif not self._started and self._barrier is None:
            raise StateError(
                f"{self.spec.name}: expected items to compute it from, found none added",
                "Add them with add or add_batch, or give predictions and references to compute.",
            )
        try:
            if self._barrier is not None and self.process_id:
                self._barrier.hand_over(counted)
                return None
            if self._barrier is not None:
                self._barrier.gather(counted)
            self.report = _report(counted, wanted)
        finally:
            counted.close()
            self._begin()
        return scores(self.report, wanted.evaluation.plan.metrics[0].describe())

    def _compute(
        self, *, predictions: Any = None, references: Any = None, **given: Any
    ) -> dict[str, Any] | None:
        return self.compute(predictions=predictions, references=references, **given)

    def download_and_prepare(self, download_config: Any = None, dl_manager: Any = None) -> None:
        """Do nothing: there is nothing to download."""

    def _begin(self) -> None:
        self._evaluator = self._counting(self.parameters)
        self._added, self._started = 0, False

    def _count(self, columns: Mapping[str, Any], evaluator: Evaluator | None = None) -> None:
        count = self._length(columns)
        if self._barrier is not None:
            self._barrier.open()
        try:
            batch = self.columns.batch(columns, self._added)
            (evaluator or self._evaluator).update(batch)
        except SchemaError as error:
            raise _with_names_here(error, self.spec.name) from error
        self._added += count
        self._started = True

    def _length(self, columns: Mapping[str, Any]) -> int:
        """Validate the names and lengths of columns, and return the number of items."""
        where = self.spec.name
        for name in columns:
            if name not in self.columns.names:
                raise SchemaError(
                    f"{where}: expected columns among {', '.join(self.columns.names)}, "
                    f"got {name!r}",
                )
        for name in self.columns.required:
            if name not in columns:
                raise SchemaError(f"{where}: expected the column {name}, found none")
        if not columns:
            raise SchemaError(
                f"{where}: expected columns among {', '.join(self.columns.names)}, found none"
            )
        lengths = {name: _length(column, name, where) for name, column in columns.items()}
        first, count = next(iter(lengths.items()))
        for name, length in lengths.items():
            if length != count:
                raise SchemaError(
                    f"{where}: expected {count:,} {name}, one for each of {first}, got {length:,}"
                )
        return count

    def _check_counted_alike(self, wanted: Evaluator, given: Mapping[str, Any]) -> None:
        """Reject parameters that would have counted the added items differently."""
        if wanted.evaluation.plan.requests == self._evaluator.evaluation.plan.requests:
            return
        values = ", ".join(f"{name}={value!r}" for name, value in given.items())
        raise ParameterError(
            f"expected {values} before the first item is added, got it after {self._added:,}",
            f"Give it when the module is made: module({self.spec.name!r}, {values}).",
            f"{self.spec.name}: ",
        )


def _metric(metric: str | MetricSpec | None) -> str | MetricSpec:
    if isinstance(metric, (str, MetricSpec)):
        return metric
    raise ConfigError(
        f"config_name: expected the full name of a metric, got {short_repr(metric)}",
        'Name one: evaluate.load(valor_evaluate.FOLDER, "text.ROUGE").',
    )


def _check_processes(spec: MetricSpec, num_process: object, process_id: object) -> None:
    are_numbers = isinstance(num_process, int) and isinstance(process_id, int)
    if not (are_numbers and 0 <= process_id < num_process):  # type: ignore[operator]
        raise ConfigError(
            f"{spec.name}: expected process_id from 0 on and below num_process, got "
            f"{short_repr(process_id)} of {short_repr(num_process)}"
        )


def _only(features: list[Any]) -> Any:
    return features[0] if len(features) == 1 else features


def _length(column: Any, name: str, where: str) -> int:
    try:
        if isinstance(column, (str, bytes, Mapping)):
            raise TypeError
        return len(column)
    except TypeError:
        raise SchemaError(
            f"{where}: expected {name} as a list, one for each item, got {short_repr(column)}",
            f"Add a single item with: add({name.removesuffix('s')}=…).",
        ) from None


def _with_names_here(error: SchemaError, where: str) -> SchemaError:
    """Rewrite an error of a schema with the names of columns here."""
    message, remedy = error.message, error.remedy or ""
    for phrase, advice in _REMEDIES_HERE.items():
        remedy = advice if phrase in remedy else remedy
    for there, here in _NAMES_HERE.items():
        message, remedy = message.replace(there, here), remedy.replace(there, here)
    return SchemaError(f"{where}: {message}", remedy or None)


def _report(counted: Evaluator, wanted: Evaluator) -> Report:
    """Return the report for the counts of one evaluator and the metric of another one."""
    report = counted.compute()
    if counted is wanted:
        return report
    plan = wanted.evaluation.plan
    states = counted.state.merged(list(counted.state.states), plan)
    return evolve(report, results=plan.compute(states), config=wanted.evaluation.describe())


def scores(report: Report, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return all values of the report of one metric, by short names.

    A name consists of the metric and the parameters that distinguish its results, such as
    ``F1/label:cat``, as in `Report.flat`. It does not contain the arguments of the module, null
    values, and the label key ``class``.

    Parameters
    ----------
    report : Report
        Report.
    parameters : mapping
        Parameters of the metric in the config of the report.

    Returns
    -------
    dict of str to float or None
        Numbers as float, None for undefined values, never NaN. A value with several named numbers
        has one key for each. Curves and matrices are lists and tables, as in the report.

    Examples
    --------
    >>> from valor_core.results import Undefined
    >>> asked = {"use_stemmer": True}
    >>> found = [Result(type="ROUGE", parameters=asked, value={"rouge1": 0.5, "rouge2": None}),
    ...          Result(type="Recall", parameters={"label": "a"}, value=Undefined("no items"))]
    >>> scores(Report(results=found), asked)
    {'ROUGE/rouge1': 0.5, 'ROUGE/rouge2': None, 'Recall/label:a': None}
    """
    parts = [part for result in report.results for part in _parts(result, parameters)]
    # `flat` skips values that are not numbers, so get the names for zeros.
    names = evolve(report, results=[zero for zero, _ in parts], slices=()).flat()
    return dict(zip(names, (value for _, value in parts), strict=True))


def _parts(result: Result, parameters: Mapping[str, Any]) -> Iterator[tuple[Result, Any]]:
    """Yield each value of a result, after a copy of the result with value 0."""
    value = result.value
    named = {
        name: each
        for name, each in result.parameters.items()
        if each is not None
        and (name, each) != ("label_key", DEFAULT_KEY)
        and not (name in parameters and parameters[name] == each)
    }
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield evolve(result, parameters=named, value={name: 0.0}, details={}), _plain(part)
    else:
        lacking = result.undefined or result.error
        zero = evolve(result, parameters=named, value=0.0, details={})
        yield zero, None if lacking else _plain(value)


def _plain(value: Any) -> Any:
    return float(value) if is_number(value) else value
