"""Text data: queries, responses, references and retrieved contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, filterfalse
from typing import Any, ClassVar

import numpy as np
from attrs import Factory, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.batch import Batch, FileRow
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    check_length,
    check_unicode,
    object_column,
    read_only,
    with_columns,
)
from valor_core.schemas.datum import Datum, Datums, listed, metadata_field, uid_field


def _text(item: Any, attribute: Any, value: Any) -> None:
    if value is not None and not isinstance(value, str):
        raise SchemaError(
            f"{attribute.name}: expected a string, got {short_repr(value)}", as_text(value)
        )


def as_text(value: Any) -> str | None:
    """Return the remedy for a value that is not a string."""
    if isinstance(value, (int, float)) and value == value:
        return f"Write it as a string: {str(value)!r}"
    if isinstance(value, (list, tuple)):
        return "Write one string: a response or query is a single text."
    return "Omit it, or write an empty string for an empty text."


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if type(value) is tuple and set(map(type, value)) <= {str}:
        return value
    if value is None:
        return ()
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise SchemaError(f"{name}: expected strings, got {short_repr(value)}")
    texts = (value,) if isinstance(value, str) else tuple(value)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise SchemaError(f"{name}[{i}]: expected a string, got {short_repr(text)}")
    return texts


def _references(value: Any) -> tuple[str, ...]:
    return _texts(value, "references")


def _contexts(value: Any) -> tuple[str, ...]:
    return _texts(value, "contexts")


def _reference_contexts(value: Any) -> tuple[str, ...]:
    return _texts(value, "reference_contexts")


def _outcomes(value: Any) -> tuple[bool, ...]:
    if value is None or value == ():
        return ()
    if _is_outcome(value):
        return (bool(value),)
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise SchemaError(f"outcomes: expected a list of true and false, got {short_repr(value)}")
    cells = tuple(value)
    for i, cell in enumerate(cells):
        if not _is_outcome(cell):
            raise SchemaError(f"outcomes[{i}]: expected true or false, got {short_repr(cell)}")
    return tuple(map(bool, cells))


def _is_outcome(cell: Any) -> bool:
    return isinstance(cell, (int, np.bool_, np.integer)) and cell in (0, 1)


@frozen
class Text:
    """One item of text generation: query, response and references.

    Parameters
    ----------
    uid : str or int
        Unique name in the data set.
    query : str, optional
        Prompt or question.
    response : str, optional
        Reply of the model.
    references : str or sequence of str
        Expected responses.
    contexts : str or sequence of str
        Retrieved passages, in the order of retrieval.
    reference_contexts : str or sequence of str
        Passages that should be retrieved.
    metadata : mapping of str to value, optional
        Fields for slices and filters.
    outcomes : sequence of bool
        Whether each of several attempts at the item was right, in order; 0 and 1 are accepted.

    Examples
    --------
    >>> Text("q1", "Capital of France?", "Paris", "Paris").references
    ('Paris',)
    """

    task: ClassVar[str] = "text"

    uid: str | int = uid_field()
    query: str | None = field(default=None, validator=_text)
    response: str | None = field(default=None, validator=_text)
    references: tuple[str, ...] = field(default=(), converter=_references)
    contexts: tuple[str, ...] = field(default=(), converter=_contexts)
    reference_contexts: tuple[str, ...] = field(default=(), converter=_reference_contexts)
    outcomes: tuple[bool, ...] = field(default=(), converter=_outcomes, kw_only=True)
    metadata: Mapping[str, Any] = metadata_field()


TEXT_FIELDS = ("query", "response", "references", "contexts", "reference_contexts", "outcomes")
"""Fields of a text item, without its uid and metadata."""

_SINGLE = {"query": "queries", "response": "responses"}
_LISTS = ("references", "contexts", "reference_contexts")
_COLUMNS = dict(zip(TEXT_FIELDS, TEXT_FIELDS, strict=True)) | _SINGLE
"""Name of each field in a batch."""

_LONGEST = 200
"""Most characters of an excerpt."""

_NONE = np.array(None, dtype=object)


def _objects(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ndarray) and values.dtype == object:
        return read_only(values.copy() if values.flags.writeable else values)
    return read_only(object_column(values))


def _is_text(cell: Any) -> bool:
    return cell is None or isinstance(cell, str)


def _are_texts(cell: Any) -> bool:
    return isinstance(cell, (list, tuple)) and all(isinstance(text, str) for text in cell)


def _are_outcomes(cell: Any) -> bool:
    return isinstance(cell, (list, tuple)) and all(isinstance(one, bool) for one in cell)


def _have_types(columns: Iterable[Any], *kinds: type) -> bool:
    """Return whether all values have one of the types, without subclasses."""
    return set(map(type, columns)) <= set(kinds)


def _are_unicode(texts: Iterable[str]) -> bool:
    """Return whether no text has a lone surrogate, the only character that UTF-8 cannot encode."""
    try:
        "".join(filterfalse(str.isascii, texts)).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _excerpt(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


@frozen(repr=False)
class TextBatch(Batch):
    """Columns of text items.

    Parameters
    ----------
    datums : Datums
        Uids and metadata.
    queries, responses, references, contexts, reference_contexts : ndarray of object
        The fields of `Text`, one value per datum each.
    outcomes : ndarray of object, optional
        Tuples of bool.
    left_out : mapping of str to int
        Warnings about the data, and how often each applies.
    first_left_out : mapping of str to (str, int)
        Source and row of the first item of each.

    Raises
    ------
    SchemaError
        If a column has another length, or a cell is no text; the message names item and field.

    Examples
    --------
    >>> batch = TextBatch.of([Text("q1", "Capital of France?", "Paris", "Paris")])
    >>> next(batch.items()).response
    'Paris'
    """

    task: ClassVar[str] = "text"
    most_at_once: ClassVar[int | None] = 10_000
    may_lack: ClassVar[bool] = True

    datums: Datums
    queries: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    responses: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    references: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    contexts: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    reference_contexts: NDArray[Any] = field(eq=BY_CONTENT, converter=_objects)
    outcomes: NDArray[Any] = field(
        default=Factory(lambda batch: [()] * len(batch.datums), takes_self=True),
        eq=BY_CONTENT,
        converter=_objects,
        kw_only=True,
    )
    left_out: Mapping[str, int] = field(factory=dict, kw_only=True)
    first_left_out: Mapping[str, FileRow] = field(factory=dict, kw_only=True)

    def __attrs_post_init__(self) -> None:
        count = len(self)
        for name in _COLUMNS.values():
            check_length(getattr(self, name), name, count)
        for name, column in _SINGLE.items():
            cells = getattr(self, column).tolist()
            if not _have_types(cells, str, type(None)) or not _are_unicode(filter(None, cells)):
                self._reject(name, cells, _is_text, "a string")
        for name in _LISTS:
            cells = getattr(self, name).tolist()
            are_lists = _have_types(cells, tuple, list)
            texts = list(chain.from_iterable(cells)) if are_lists else []
            if not are_lists or not _have_types(texts, str) or not _are_unicode(texts):
                self._reject(name, cells, _are_texts, "strings")
        cells = self.outcomes.tolist()
        are_lists = _have_types(cells, tuple, list)
        if not are_lists or not _have_types(chain.from_iterable(cells), bool):
            self._reject("outcomes", cells, _are_outcomes, "a list of true and false")

    def _reject(
        self, name: str, cells: list[Any], fits: Callable[[Any], bool], expected: str
    ) -> None:
        """Raise a `SchemaError` for the first cell that does not fit."""
        for position, cell in enumerate(cells):
            if not fits(cell):
                raise SchemaError(
                    f"{self.datums.name(position)}, {name}: expected {expected}, "
                    f"got {short_repr(cell)}",
                    as_text(cell) if name in _SINGLE else None,
                )
            for text in (cell,) if isinstance(cell, str) else cell or ():
                if isinstance(text, str):
                    check_unicode(text, f"{self.datums.name(position)}, {name}")

    @classmethod
    def of(cls, items: Iterable[Text]) -> TextBatch:
        """Convert objects to columns."""
        items = listed(items, Text)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            [item.query for item in items],
            [item.response for item in items],
            [item.references for item in items],
            [item.contexts for item in items],
            [item.reference_contexts for item in items],
            outcomes=[item.outcomes for item in items],
        )

    def lacks(self, field: str) -> NDArray[np.bool_]:
        """Return a mask of the items without a string or with an empty list.

        An empty string is a value.

        Parameters
        ----------
        field : str
            Any field but uid and metadata.

        Examples
        --------
        >>> batch = TextBatch.of([Text("q1", response=""), Text("q2", references=["a", "b"])])
        >>> batch.lacks("response"), batch.lacks("references")
        (array([False,  True]), array([ True, False]))
        """
        column = getattr(self, _COLUMNS[field])
        lacking: NDArray[np.bool_] = (
            np.equal(column, _NONE) if field in _SINGLE else ~column.astype(bool)
        )
        return lacking

    def item_details(self) -> Mapping[str, NDArray[Any]]:
        """Return excerpts of the response and of the first reference of each item.

        Examples
        --------
        >>> batch = TextBatch.of([Text("q1", response="Paris", references=["Paris", "paris"])])
        >>> {name: column.tolist() for name, column in batch.item_details().items()}
        {'truth': ['Paris'], 'prediction': ['Paris']}
        """
        references = [texts[0] if texts else None for texts in self.references.tolist()]
        found = {"truth": references, "prediction": self.responses.tolist()}
        return {name: object_column(map(_excerpt, texts)) for name, texts in found.items()}

    def select(self, positions: Codes) -> TextBatch:
        """Return the items at the given positions."""
        columns = {name: read_only(getattr(self, name)[positions]) for name in _COLUMNS.values()}
        return with_columns(self, datums=self.datums.select(positions), **columns)

    def items(self) -> Iterator[Text]:
        """Yield the items as objects."""
        uids, facts = self.datums.uids.tolist(), self.datums.facts()
        columns = [getattr(self, name).tolist() for name in _COLUMNS.values()]
        for uid, metadata, *cells in zip(uids, facts, *columns, strict=True):
            fields: Any = dict(zip(_COLUMNS, cells, strict=True))
            yield Text(uid, metadata=metadata, **fields)
