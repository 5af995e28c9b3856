"""The one-call function of the metrics documentation for text generation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

from attrs import evolve, frozen

from valor_core import Registry, Text, evaluate
from valor_core.errors import (
    ParameterError,
    SchemaError,
    UnknownNameError,
    did_you_mean,
    error_at,
    short_repr,
)
from valor_core.evaluation import MetricChoice
from valor_core.parameters import parameters_of
from valor_core.results import Report
from valor_core.results.item_tables import ItemTable
from valor_core.specs import MetricSpec, ResourceSpec
from valor_core.specs.names import folded_name

_LLM = "llm"
"""Namespace of bare names that the namespace `text` lacks, and of the judge."""

_JUDGE = "judge"
"""Resource of metrics that call a model."""

_PARAMS = "llm_api_params"

_ENDPOINTS = {"mistral": "https://api.mistral.ai/v1", "openai": "https://api.openai.com/v1"}
"""Addresses of the documented clients, named in errors only: a call never goes there by default."""

_RENAMED = {"retries": "reply_retries"}

_DATUM = "{'datum': {'uid': …, 'text': …}, 'annotations': [{'text': …, 'context_list': […]}]}"
_REMEDY = f"Write it as: {_DATUM}"
_MODEL_REMEDY = (
    "Pass it: llm_api_params={'client': 'openai', 'data': {'base_url': …, 'model': …}}, or try it "
    "without a model: llm_api_params={'client': 'lexical'}"
)


def evaluate_text_generation(
    predictions: Iterable[Any],
    metrics_to_return: Sequence[MetricChoice] | MetricChoice,
    groundtruths: Iterable[Any] = (),
    llm_api_params: Mapping[str, Any] | None = None,
    metric_params: Mapping[str, Any] | None = None,
    *,
    registry: Registry | None = None,
    **parameters: Any,
) -> Report:
    """Evaluate text metrics over predictions and ground truths, which are matched by datum.

    Parameters
    ----------
    predictions, groundtruths : iterable of mapping or object
        Each has a `datum` with a `uid` and optionally a `text`, such as a question or a text to
        summarize, and `annotations` with a `text` and, in predictions, a `context_list`. All
        ground truths of a datum are its references. Each annotation of a prediction is a row.
    metrics_to_return : sequence
        Names, or tables with a name and parameters. Bare names of metrics that call a model are
        resolved in the namespace `llm`.
    llm_api_params : mapping, optional
        The model, as in the section of a judge in a config: its client, parameters of the client
        and of the judge, also under ``data``. Unused if no metric calls a model.
    metric_params : mapping, optional
        Parameters of the metrics: a table by name of a metric, or a value by name of a parameter,
        optionally with the metric's name as prefix: ``use_stemmer`` or ``rouge_use_stemmer``.
    registry : Registry, optional
        Registry used to resolve names.
    **parameters
        Further `metric_params`: ``bleu_weights=[0.5, 0.5]``.

    Returns
    -------
    Report
        One result per metric, the mean over the predictions, and the rows. The details of a row
        have the ``datum_uid``, the ``prediction`` and its ``contexts``.

    Raises
    ------
    ParameterError
        If a parameter belongs to no selected metric, is given twice, or is invalid; or if a metric
        calls a model and `llm_api_params` is missing.
    SchemaError
        If a prediction or ground truth has no datum or text; names its position.
    UnknownNameError
        If a metric does not exist; with the command that installs it if it is in another package.

    Examples
    --------
    >>> report = evaluate_text_generation(
    ...     [{"datum": {"uid": "q1"}, "annotations": [{"text": "the cat"}]}],
    ...     ["ROUGE"],
    ...     [{"datum": {"uid": "q1"}, "annotations": [{"text": "a cat"}]}],
    ...     rouge_types=["rouge1", "rougeL"],
    ... )
    >>> report["ROUGE"].value
    {'rouge1': 0.5, 'rougeL': 0.5}
    >>> report.items[0].rows[0].details
    {'datum_uid': 'q1', 'prediction': 'the cat', 'contexts': [], 'truth': 'a cat'}
    """
    registry = Registry() if registry is None else registry
    is_one = isinstance(metrics_to_return, (str, Mapping, MetricSpec))
    choices: Any = [metrics_to_return] if is_one else metrics_to_return
    if not isinstance(choices, Iterable):
        raise ParameterError(
            f"metrics_to_return: expected names of metrics, got {short_repr(choices)}"
        )
    chosen = [_Chosen.of(choice, registry, llm_api_params is not None) for choice in choices]
    for values in (_table(metric_params, "metric_params"), parameters):
        for name, value in values.items():
            _give(chosen, name, value)
    judged = [one.spec.name for one in chosen if any(map(_is_judge, one.spec.resources))]
    if judged and llm_api_params is None:
        raise ParameterError(
            f"{_PARAMS}: expected a model for {judged[0]}, got none", _MODEL_REMEDY
        )
    rows = list(_rows(predictions, groundtruths))
    report = evaluate(
        [row.item for row in rows],
        [{"name": one.spec.identity, **one.parameters} for one in chosen],
        task="text",
        items=True,
        resources={_JUDGE: _judge_section(llm_api_params, registry)} if judged else None,
        registry=registry,
    )
    details = {row.item.uid: row.details for row in rows}
    return evolve(report, items=tuple(_with(table, details) for table in report.items))


def _is_judge(resource: str) -> bool:
    """Return True for the short or full name of the judge."""
    return resource.rpartition(".")[2] == _JUDGE


@frozen
class _Chosen:
    """Selected metric and the parameters set so far."""

    spec: MetricSpec
    parameters: dict[str, Any]

    @classmethod
    def of(cls, choice: MetricChoice, registry: Registry, has_model: bool) -> _Chosen:
        if isinstance(choice, MetricSpec):
            return cls(choice, {})
        values = dict(choice) if isinstance(choice, Mapping) else {"name": choice}
        name = values.pop("name", None)
        if isinstance(name, MetricSpec):
            return cls(name, values)
        if not isinstance(name, str):
            raise ParameterError(
                f"metrics_to_return: expected names of metrics, got {short_repr(name)}"
            )
        return cls(_spec(name, registry, has_model), values)

    @property
    def names(self) -> Mapping[str, str]:
        """Parameters of the metric by all their names here."""
        names = {
            name: entry.name
            for entry in parameters_of(self.spec.parameter_class)
            for name in (entry.name, *entry.aliases)
        }
        prefix = self.spec.short_name.lower()
        return names | {f"{prefix}_{name}": names[name] for name in names}

    def give(self, name: str, value: Any) -> None:
        """Set a parameter, or raise a `ParameterError` if it is already set."""
        names = self.names
        if names[name] in {names.get(given, given) for given in self.parameters}:
            raise ParameterError(f"{self.spec.name}: {name}: given twice, also by another name")
        self.parameters[names[name]] = value


def _spec(name: str, registry: Registry, has_model: bool) -> MetricSpec:
    """Resolve a name in `text`, then in `llm` if that is installed or the caller names a model."""
    try:
        return registry.metric(name, "text")
    except UnknownNameError:
        is_installed = _LLM in registry.namespaces
        if "." in name or not (is_installed or has_model):
            raise
        try:
            return registry.metric(f"{_LLM}.{name}", "text")
        except UnknownNameError:
            if not is_installed:
                raise
        raise


def _give(chosen: Sequence[_Chosen], name: str, value: Any) -> None:
    """Set a parameter, or a table of a metric's parameters, in all metrics that have it."""
    if isinstance(value, Mapping):
        named = [one for one in chosen if folded_name(name) in _called(one.spec)]
        for one in named:
            for parameter, each in value.items():
                if parameter not in one.names:
                    raise _unknown(f"metric_params: {name}.{parameter}", parameter, one.names)
                one.give(parameter, each)
        if named:
            return
    owners = [one for one in chosen if name in one.names]
    if not owners:
        names = [each for one in chosen for each in (one.spec.short_name, *one.names)]
        raise _unknown(f"metric_params: {name}", name, names)
    for one in owners:
        one.give(name, value)


def _called(spec: MetricSpec) -> set[str]:
    return {folded_name(name) for name in (spec.name, spec.short_name, *spec.aliases)}


def _unknown(where: str, name: str, names: Iterable[str]) -> ParameterError:
    return ParameterError(
        f"{where}: expected a parameter of a metric that is to be returned",
        did_you_mean(name, names) or f"Known: {', '.join(dict.fromkeys(names))}.",
    )


@frozen
class _Row:
    """Prediction as an item, and the details of its rows."""

    item: Text
    details: Mapping[str, Any]


def _rows(predictions: Iterable[Any], groundtruths: Iterable[Any]) -> Iterator[_Row]:
    """Yield predictions in order, then datums without predictions."""
    data: dict[str | int, _Datum] = {}
    for side, values in (("predictions", predictions), ("groundtruths", groundtruths)):
        for number, value in enumerate(_listed(values, side)):
            with error_at(f"{side}[{number}]: "):
                _read(value, side, data)
    # All uids have one type: with rows named "1[0]", the datum 2 is named "2".
    are_texts = any(len(datum.predictions) > 1 for datum in data.values())
    for uid, datum in data.items():
        predicted = datum.predictions or [(None, ())]
        for number, (response, contexts) in enumerate(predicted):
            name = str(uid) if are_texts else uid
            name = name if len(predicted) == 1 else f"{uid}[{number}]"
            item = Text(name, datum.query, response, datum.references, contexts, (), datum.metadata)
            details = {"datum_uid": uid, "prediction": response, "contexts": list(contexts)}
            yield _Row(item, details)


@frozen
class _Datum:
    """Texts and metadata of a datum read so far."""

    metadata: dict[str, Any]
    texts: list[str]
    predictions: list[tuple[str | None, tuple[str, ...]]]
    references: list[str]

    @property
    def query(self) -> str | None:
        return self.texts[0] if self.texts else None


def _listed(values: Any, side: str) -> Iterable[Any]:
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise SchemaError(f"{side}: expected a list, got {short_repr(values)}", _REMEDY)
    return values


def _read(value: Any, side: str, data: dict[str | int, _Datum]) -> None:
    _check_keys(value, ("datum", "annotations"))
    datum, annotations = _of(value, "datum"), _of(value, "annotations")
    if isinstance(datum, (str, int)):
        datum = {"uid": datum}
    _check_keys(datum, ("uid", "text", "metadata"))
    uid = _of(datum, "uid")
    if isinstance(uid, bool) or not isinstance(uid, (str, int)):
        raise SchemaError(f"datum: expected a uid, got {short_repr(uid)}", _REMEDY)
    read = data.setdefault(uid, _Datum({}, [], [], []))
    metadata = _of(datum, "metadata")
    if not isinstance(metadata, (Mapping, NoneType)):
        raise SchemaError(f"datum: metadata: expected a table of facts, got {short_repr(metadata)}")
    read.metadata.update(metadata or {})
    query = _of(datum, "text")
    if query is not None:
        with error_at("datum: "):
            _text(query)
        if query not in read.texts:
            read.texts.append(query)
    if len(read.texts) > 1:
        raise SchemaError(f"datum {uid!r}: expected one text, got {short_repr(read.texts)}")
    if isinstance(annotations, (str, Mapping)) or not isinstance(annotations, Iterable):
        raise SchemaError(f"annotations: expected a list, got {short_repr(annotations)}", _REMEDY)
    for number, annotation in enumerate(annotations):
        with error_at(f"annotations[{number}]: "):
            _check_keys(annotation, ("text", "context_list", "metadata"))
            text = _of(annotation, "text")
            if side == "groundtruths":
                read.references.append(_text(text))
                continue
            contexts = _contexts(_of(annotation, "context_list"))
            # For metrics of retrieval, a prediction may have contexts but no text.
            read.predictions.append((text if text is None and contexts else _text(text), contexts))


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _check_keys(value: Any, keys: Sequence[str]) -> None:
    """Raise a `SchemaError` with the first unknown key that has a value."""
    given = [key for key, each in value.items() if each] if isinstance(value, Mapping) else []
    unknown = [key for key in given if key not in keys]
    if unknown:
        raise SchemaError(
            f"expected no keys but {', '.join(keys)}, got {short_repr(unknown[0])}",
            did_you_mean(str(unknown[0]), keys),
        )


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise SchemaError(f"text: expected a string, got {short_repr(text)}", _REMEDY)
    return text


def _contexts(texts: Any) -> tuple[str, ...]:
    if texts is None:
        return ()
    if isinstance(texts, (str, Mapping)) or not isinstance(texts, Iterable):
        raise SchemaError(
            f"context_list: expected a list of texts, got {short_repr(texts)}", _REMEDY
        )
    with error_at("context_list: "):
        return tuple(map(_text, texts))


def _with(table: ItemTable, details: Mapping[str | int, Mapping[str, Any]]) -> ItemTable:
    """Add details of predictions to the rows of a table."""
    joined = {
        number: dict(details[row.uid]) | dict(row.details) for number, row in enumerate(table.rows)
    }
    return evolve(table, rows=evolve(table.rows, details=joined))


def _judge_section(given: Any, registry: Registry) -> dict[str, Any]:
    """Return the section of a judge in a config, from ``llm_api_params``.

    Parameters
    ----------
    given : mapping
        ``{"client": "openai", "data": {"model": …, "seed": …}}``, as documented in 2024, or the
        section itself.
    registry : Registry
        Registry with the judge and its clients.

    Raises
    ------
    ParameterError
        If an API key is given, or the address is missing; with the correct form.
    """
    params = _table(given, _PARAMS)
    values = {name: value for name, value in params.items() if name != "data"}
    values |= _table(params.get("data"), f"{_PARAMS}.data")
    spec = registry.find(ResourceSpec, _JUDGE, _LLM)
    client = values.get("client")
    if spec.kinds is None or not isinstance(client, str):
        return values
    if "api_key" in values:
        raise ParameterError(
            f"{_PARAMS}.api_key: expected no key in a call, where reports could show it",
            f"Put it in the environment, and write: 'api_key_env': '{client.upper()}_API_KEY'",
        )
    address = values.pop("api_url", None)
    if address is not None:
        values.setdefault("base_url", address)
    if client in _ENDPOINTS and values.get("base_url") is None:
        raise ParameterError(
            f"{_PARAMS}: expected the address of an endpoint for {client}, got none",
            f"Write it as: {{'client': 'openai', 'data': {{'base_url': '{_ENDPOINTS[client]}', "
            f"'model': …, 'api_key_env': '{client.upper()}_API_KEY'}}}}",
        )
    # Mistral's endpoint has the API of OpenAI.
    client = "openai" if client == "mistral" else client
    kind = registry.resource_kind(client, spec)
    names = [one.name for one in parameters_of(kind.parameter_class)]
    rest = {name: value for name, value in values.items() if name not in (*names, "client")}
    client_values = {name: values[name] for name in names if name in values}
    return {_RENAMED.get(name, name): value for name, value in rest.items()} | {
        spec.kinds: {"name": kind.name, **client_values}
    }


def _table(values: Any, where: str) -> Mapping[str, Any]:
    """Return a mapping with strings as keys, empty for None, or raise a `ParameterError`."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ParameterError(f"{where}: expected a table of parameters, got {short_repr(values)}")
    for name in values:
        if not isinstance(name, str):
            raise ParameterError(f"{where}: expected names of parameters, got {short_repr(name)}")
    return values
