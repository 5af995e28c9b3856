"""Pictures and texts of a viewed item, drawn by the gallery of its task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
from attrs import evolve, frozen

from valor_core.errors import ValorError
from valor_core.parameters import Parameter, parameters_from, parameters_of
from valor_core.parameters.declaration import relocate
from valor_core.results.result import is_number
from valor_core.schemas import Batch, Label
from valor_core.specs import GallerySpec
from valor_report.gallery.parameters import GalleryParameters
from valor_report.gallery.pictures import Gallery, MarkedPiece, MarkedTexts, Picture
from valor_report.output_files import SHOW_TRACEBACK, bug_message
from valor_report.pages.item_section import Facts
from valor_report.tables.text_table import number_text
from valor_report.viewer.source import ReportSource

BY = "by"
"""Parameter of galleries with the metric of the items."""

_SHARED = {name for one in parameters_of(GalleryParameters) for name in (one.name, *one.aliases)}
_LONGEST = 20_000
_MOST = 200


@frozen(eq=False, repr=False)
class Drawn:
    """Picture or texts of an item, with the meaning of its colors.

    Parameters
    ----------
    picture : Picture or MarkedTexts
        What the gallery draws.
    legend : mapping of str to str
        CSS color of each word.
    title : str
        Metric whose verdicts are shown, if any.
    """

    picture: Picture | MarkedTexts
    legend: Mapping[str, str]
    title: str = ""


@frozen(eq=False, repr=False)
class Pictures:
    """Galleries of the items of a report.

    Parameters
    ----------
    source : ReportSource
        Report and data.
    """

    source: ReportSource

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of the first gallery of the task; empty without one."""
        specs = self._specs() if self.source.data is not None else []
        return parameters_of(specs[0].parameter_class) if specs else ()

    def of(self, item: Batch, changes: Mapping[str, Any]) -> list[Drawn]:
        """Draw an item, once for each judged metric whose rows the report has.

        Without a gallery, the texts of the item are shown.

        Parameters
        ----------
        item : Batch
            Batch of the item.
        changes : mapping of str to object
            Parameters of galleries that replace those of the config.
        """
        notes: list[str] = []
        galleries = list(self._galleries(changes, notes))
        judged = [one for one in galleries if _shows(one)]
        drawn = []
        for gallery in judged or galleries[:1]:
            try:
                drawn.append(Drawn(gallery.draw(item), gallery.legend, _shows(gallery)))
            except Exception as error:
                notes.append(f"not drawn, {_reason(error)}")
        if len(drawn) > 1:
            drawn = [evolve(one, picture=_named(one.picture, one.title)) for one in drawn]
        return drawn or [Drawn(plain_texts(item, notes), {})]

    def _specs(self) -> list[GallerySpec]:
        """Galleries of the task, that of the config first."""
        source = self.source
        found = [one for one in source.registry.all(GallerySpec) if one.task == source.task]
        section = source.gallery or {}
        if "folder" in section:
            name = str(section.get("name", "Gallery"))
            chosen = source.registry.find(GallerySpec, name, source.task)
            found.sort(key=lambda one: one.name != chosen.name)
        else:
            found.sort(key=lambda one: one.namespace != source.task)
        return found

    def _galleries(self, changes: Mapping[str, Any], notes: list[str]) -> Iterator[Gallery]:
        """Yield the galleries that can draw items; add reasons for the others to `notes`."""
        section, folder = self.source.gallery or {}, self.source.folder
        tables = {table.metric.partition("@")[0]: table for table in self.source.tables}
        judged = self.source.judged
        for number, spec in enumerate(self._specs()):
            names = [one.name for one in parameters_of(spec.parameter_class)]
            own = number == 0
            values = {k: v for k, v in section.items() if own and k not in _SHARED}
            values |= {k: v for k, v in changes.items() if k in names}
            choices: list[Mapping[str, Any]] = [values]
            if BY in names:
                choices += [{**values, BY: name} for name in tables if name != values.get(BY)]
            seen = set()
            for choice in choices:
                try:
                    parameters: Any = parameters_from(spec.parameter_class, choice, "gallery.")
                    gallery = spec.load()(relocate(parameters, folder.joinpath))
                except ValorError as error:
                    notes += [] if choice is not values else [error.one_line]
                    continue
                shows = _shows(gallery)
                is_chosen = own and choice is values and bool(section)
                if shows in seen or (shows and shows not in tables):
                    continue
                if shows and shows not in judged and not is_chosen:
                    continue
                seen.add(shows)
                if shows:
                    gallery.take(tables[shows].rows)
                yield gallery


def _named(picture: Picture | MarkedTexts, metric: str) -> Picture | MarkedTexts:
    """Add the name of a metric to the titles of tables, which several metrics may have."""
    if isinstance(picture, Picture):
        return picture
    short = metric.rpartition(".")[2]
    return evolve(picture, tables={f"{short} {name}": one for name, one in picture.tables.items()})


def _shows(gallery: Gallery) -> str:
    """Full name of the metric whose rows a gallery draws; empty for galleries of the data."""
    return getattr(gallery, "shows", None) or ""


def _reason(error: Exception) -> str:
    if isinstance(error, ValorError):
        return error.one_line
    return f"{bug_message(error)}, {SHOW_TRACEBACK[:1].lower()}{SHOW_TRACEBACK[1:]}"


def plain_texts(item: Batch, notes: Sequence[str] = ()) -> MarkedTexts:
    """Return the fields of an item as texts, for tasks without a gallery.

    Examples
    --------
    >>> from valor_core.schemas.text import Text, TextBatch
    >>> batch = TextBatch.of([Text("q1", query="2 + 2", response="4", references=["4", "four"])])
    >>> list(plain_texts(batch).texts)
    ['query', 'response', 'references']
    """
    (one,) = item.items()
    fields = attrs.fields_dict(type(one)) if attrs.has(type(one)) else {}
    texts = {}
    for name in fields:
        text = "" if name in ("uid", "metadata") else _text(getattr(one, name))[:_LONGEST]
        if text:
            texts[name.replace("_", " ")] = (MarkedPiece(text),)
    return MarkedTexts(texts, {}, notes)


def detail_texts(details: Mapping[str, Any]) -> MarkedTexts:
    """Return the details of an item as texts and tables, for reports without data.

    Examples
    --------
    >>> shown = detail_texts({"A note": "short", "A claims": [{"text": "a", "verdict": "no"}]})
    >>> list(shown.texts), list(shown.tables)
    (['A note'], ['A claims'])
    """
    facts = Facts.of(details)
    texts = {name: (MarkedPiece(text[:_LONGEST]),) for name, text in facts.texts}
    return MarkedTexts(texts, {}, tables=facts.tables)


def _text(value: Any) -> str:
    """Return a field of an item as text: a line for each entry of a list."""
    if isinstance(value, (tuple, list)):
        return "\n".join(filter(None, map(_line, value[:_MOST])))
    return _line(value)


def _line(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return " ".join(map(_line, value[:_MOST]))
    if isinstance(value, Label):
        return value.value
    if isinstance(value, bool):
        return "yes" if value else ""
    return number_text(value) if is_number(value) else ""
