"""The one-call function of the metrics documentation for text generation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

from attrs import evolve, frozen

from valor_core import Registry, Text, evaluate
from valor_core.errors import ParameterError, SchemaError, did_you_mean, error_at, shown
from valor_core.evaluation import MetricChoice
from valor_core.parameters import declared
from valor_core.results import ItemTable, Report
from valor_core.specs import MetricSpec, fold
from valor_text.llm_api_params import judge_section, table

LLM_METRICS = (
    "AnswerCorrectness",
    "AnswerRelevance",
    "Bias",
    "Coherence",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Faithfulness",
    "Hallucination",
    "SummaryCoherence",
    "Toxicity",
)
"""Documented metrics that ask a model: those of the namespace `llm`."""

_JUDGE = "judge"
"""The resource by which they ask it."""

_DATUM = "{'datum': {'uid': …, 'text': …}, 'annotations': [{'text': …, 'context_list': […]}]}"
_REMEDY = f"Write it as: {_DATUM}"
_ASKING = (
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
    """Report of text metrics over predictions and ground truths, matched by datum.

    Parameters
    ----------
    predictions, groundtruths : iterable of mapping or object
        Each has a `datum`, of a `uid` and, if it was asked or is to be summarized, a `text`, and
        `annotations`, of a `text` and, of a prediction, a `context_list`. All ground truths of a
        datum are its references; each annotation of a prediction is a row.
    metrics_to_return : sequence
        Names, or tables of a name and parameters. Those that ask a model are looked for in the
        namespace `llm`.
    llm_api_params : mapping, optional
        Who is asked, as a judge's section of a config has it: its client, the client's parameters
        and the judge's. Those under ``data`` may stand beside the others. Not used where no metric
        asks anybody.
    metric_params : mapping, optional
        Parameters of the metrics: a table by a metric's name, or by the name of a parameter, with
        or without the metric's name in front, ``use_stemmer`` or ``rouge_use_stemmer``.
    registry : Registry, optional
        Where names are looked up.
    **parameters
        The same as in `metric_params`: ``bleu_weights=[0.5, 0.5]``.

    Returns
    -------
    Report
        A result of each metric, the mean over the predictions, and the rows: the details of a row
        have the ``datum_uid``, the ``prediction`` and its ``contexts``.

    Raises
    ------
    ParameterError
        If a parameter is one of no chosen metric, is given twice, or does not fit; or a metric asks
        a model and `llm_api_params` are missing.
    SchemaError
        If a prediction or a ground truth has no datum or text; names which.
    UnknownNameError
        If there is no such metric; with the command that installs it where there is one.

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
    {'datum_uid': 'q1', 'prediction': 'the cat', 'contexts': []}
    """
    registry = Registry() if registry is None else registry
    is_one = isinstance(metrics_to_return, (str, Mapping, MetricSpec))
    choices: Any = [metrics_to_return] if is_one else metrics_to_return
    if not isinstance(choices, Iterable):
        raise ParameterError(f"metrics_to_return: expected names of metrics, got {shown(choices)}")
    chosen = [_Chosen.of(choice, registry) for choice in choices]
    for values in (table(metric_params, "metric_params"), parameters):
        for name, value in values.items():
            _give(chosen, name, value)
    asking = [one.spec.name for one in chosen if any(map(_is_judge, one.spec.resources))]
    if asking and llm_api_params is None:
        raise ParameterError(f"llm_api_params: expected a model for {asking[0]}, got none", _ASKING)
    rows = list(_rows(predictions, groundtruths))
    report = evaluate(
        [row.item for row in rows],
        [{"name": one.spec.identity, **one.parameters} for one in chosen],
        task="text",
        items=True,
        resources={_JUDGE: judge_section(llm_api_params, registry)} if asking else None,
        registry=registry,
    )
    told = {row.item.uid: row.told for row in rows}
    return evolve(report, items=tuple(_with(table, told) for table in report.items))


def _is_judge(resource: str) -> bool:
    """Whether a metric's resource is the judge, by its short or its full name."""
    return resource.rpartition(".")[2] == _JUDGE


@frozen
class _Chosen:
    """A chosen metric and its parameters, which grow."""

    spec: MetricSpec
    parameters: dict[str, Any]

    @classmethod
    def of(cls, choice: MetricChoice, registry: Registry) -> _Chosen:
        if isinstance(choice, MetricSpec):
            return cls(choice, {})
        values = dict(choice) if isinstance(choice, Mapping) else {"name": choice}
        name = values.pop("name", None)
        if isinstance(name, MetricSpec):
            return cls(name, values)
        if not isinstance(name, str):
            raise ParameterError(f"metrics_to_return: expected names of metrics, got {shown(name)}")
        asks = {fold(known) for known in LLM_METRICS}
        place = f"llm.{name}" if fold(name.partition("@")[0]) in asks else name
        return cls(registry.metric(place, "text"), values)

    @property
    def names(self) -> Mapping[str, str]:
        """Its parameters by all names that they have here."""
        known = {
            name: entry.name
            for entry in declared(self.spec.parameter_class)
            for name in (entry.name, *entry.aliases)
        }
        return known | {f"{self.spec.short_name.lower()}_{name}": known[name] for name in known}

    def give(self, name: str, value: Any) -> None:
        """Set a parameter that is not set yet."""
        names = self.names
        if names[name] in {names.get(given, given) for given in self.parameters}:
            raise ParameterError(f"{self.spec.name}: {name}: given twice, also by another name")
        self.parameters[names[name]] = value


def _give(chosen: Sequence[_Chosen], name: str, value: Any) -> None:
    """Set a parameter, or those of one metric, in all chosen metrics that it belongs to."""
    if isinstance(value, Mapping):
        named = [one for one in chosen if fold(name) in _called(one.spec)]
        for one in named:
            for parameter, own in value.items():
                if parameter not in one.names:
                    raise _unknown(f"metric_params: {name}.{parameter}", parameter, one.names)
                one.give(parameter, own)
        if named:
            return
    owners = [one for one in chosen if name in one.names]
    if not owners:
        known = [known for one in chosen for known in (one.spec.short_name, *one.names)]
        raise _unknown(f"metric_params: {name}", name, known)
    for one in owners:
        one.give(name, value)


def _called(spec: MetricSpec) -> set[str]:
    return {fold(name) for name in (spec.name, spec.short_name, *spec.aliases)}


def _unknown(place: str, name: str, known: Iterable[str]) -> ParameterError:
    return ParameterError(
        f"{place}: expected a parameter of a metric that is to be returned",
        did_you_mean(name, known) or f"Known: {', '.join(dict.fromkeys(known))}.",
    )


@frozen
class _Row:
    """A prediction as an item, and what its rows tell beside their values."""

    item: Text
    told: Mapping[str, Any]


def _rows(predictions: Iterable[Any], groundtruths: Iterable[Any]) -> Iterator[_Row]:
    """Predictions in their order, then datums that nobody predicted anything of."""
    data: dict[str | int, _Datum] = {}
    for side, values in (("predictions", predictions), ("groundtruths", groundtruths)):
        for place, value in enumerate(_listed(values, side)):
            with error_at(f"{side}[{place}]: "):
                _read(value, side, data)
    # Beside rows that are called 1[0], a datum 1 is called by a text too: uids are of one type.
    are_texts = any(len(datum.predictions) > 1 for datum in data.values())
    for uid, datum in data.items():
        said = datum.predictions or [(None, ())]
        own = str(uid) if are_texts else uid
        for place, (response, contexts) in enumerate(said):
            name = own if len(said) == 1 else f"{uid}[{place}]"
            item = Text(name, datum.query, response, datum.references, contexts, (), datum.metadata)
            told = {"datum_uid": uid, "prediction": response, "contexts": list(contexts)}
            yield _Row(item, told)


@frozen
class _Datum:
    """What is known of a datum, which grows."""

    metadata: dict[str, Any]
    texts: list[str]
    predictions: list[tuple[str | None, tuple[str, ...]]]
    references: list[str]

    @property
    def query(self) -> str | None:
        return self.texts[0] if self.texts else None


def _listed(values: Any, side: str) -> Iterable[Any]:
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise SchemaError(f"{side}: expected a list, got {shown(values)}", _REMEDY)
    return values


def _read(value: Any, side: str, data: dict[str | int, _Datum]) -> None:
    _check_keys(value, ("datum", "annotations"))
    datum, annotations = _of(value, "datum"), _of(value, "annotations")
    if isinstance(datum, (str, int)):
        datum = {"uid": datum}
    _check_keys(datum, ("uid", "text", "metadata"))
    uid = _of(datum, "uid")
    if isinstance(uid, bool) or not isinstance(uid, (str, int)):
        raise SchemaError(f"datum: expected a uid, got {shown(uid)}", _REMEDY)
    known = data.setdefault(uid, _Datum({}, [], [], []))
    metadata = _of(datum, "metadata")
    if not isinstance(metadata, (Mapping, NoneType)):
        raise SchemaError(f"datum: metadata: expected a table of facts, got {shown(metadata)}")
    known.metadata.update(metadata or {})
    query = _of(datum, "text")
    if query is not None:
        with error_at("datum: "):
            _text(query)
        if query not in known.texts:
            known.texts.append(query)
    if len(known.texts) > 1:
        raise SchemaError(f"datum {uid!r}: expected one text, got {shown(known.texts)}")
    if isinstance(annotations, (str, Mapping)) or not isinstance(annotations, Iterable):
        raise SchemaError(f"annotations: expected a list, got {shown(annotations)}", _REMEDY)
    for place, annotation in enumerate(annotations):
        with error_at(f"annotations[{place}]: "):
            _check_keys(annotation, ("text", "context_list", "metadata"))
            text = _of(annotation, "text")
            if side == "groundtruths":
                known.references.append(_text(text))
                continue
            contexts = _contexts(_of(annotation, "context_list"))
            # What is only retrieved, for metrics of contexts, has no text.
            known.predictions.append((text if text is None and contexts else _text(text), contexts))


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _check_keys(value: Any, known: Sequence[str]) -> None:
    """Raise a `SchemaError` that names the first key that has no meaning, and says something."""
    given = [key for key, own in value.items() if own] if isinstance(value, Mapping) else []
    unknown = [key for key in given if key not in known]
    if unknown:
        raise SchemaError(
            f"expected no keys but {', '.join(known)}, got {shown(unknown[0])}",
            did_you_mean(str(unknown[0]), known),
        )


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise SchemaError(f"text: expected a string, got {shown(text)}", _REMEDY)
    return text


def _contexts(texts: Any) -> tuple[str, ...]:
    if texts is None:
        return ()
    if isinstance(texts, (str, Mapping)) or not isinstance(texts, Iterable):
        raise SchemaError(f"context_list: expected a list of texts, got {shown(texts)}", _REMEDY)
    with error_at("context_list: "):
        return tuple(map(_text, texts))


def _with(table: ItemTable, told: Mapping[str | int, Mapping[str, Any]]) -> ItemTable:
    """The rows with what the predictions tell in their details."""
    details = {
        place: dict(told[row.uid]) | dict(row.details) for place, row in enumerate(table.rows)
    }
    return evolve(table, rows=evolve(table.rows, details=details))
