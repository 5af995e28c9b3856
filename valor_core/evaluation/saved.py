"""Saved states: NumPy archives with a JSON header, read without pickle."""

from __future__ import annotations

import json
import os
import struct
import textwrap
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import StateError, ValorError, short_repr
from valor_core.evaluation import slices
from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.state import EvaluationState
from valor_core.resources.bound import Facts
from valor_core.results.files import replacing
from valor_core.schemas import VERSION as SCHEMAS
from valor_core.schemas import Label
from valor_core.schemas.batch import FileRow
from valor_core.schemas.datum import Uids
from valor_core.schemas.label import as_label
from valor_core.schemas.pairing import LabelSides
from valor_core.schemas.slice_values import slice_to_json
from valor_core.states.saved_columns import saved_column, saved_number
from valor_core.states.state import FailedState

Source = str | os.PathLike[str] | IO[bytes] | bytes
"""Path of a saved state, an open file, or its content."""

STATE_FORMAT = 4  # since 4: file and row of the first skipped record
_ARRAY = "array"
_HEADER = "header"
_FOREIGN = "found another kind of file"
_WRITTEN = "Use a file written by: valor run CONFIG --state FILE"
_REMAKE = "Remove the file and run the evaluation again."
_DAMAGE = (
    OSError,  # unreadable file
    ValueError,  # invalid JSON, array header or compressed member
    KeyError,  # missing member
    TypeError,  # invalid array header
    EOFError,  # truncated member
    MemoryError,  # array header with a huge shape
    RuntimeError,  # zipfile: a member marked as encrypted
    OverflowError,  # array header with a shape beyond 64 bits
    struct.error,  # damaged record of the archive
    zipfile.BadZipFile,  # no archive, or a wrong checksum
    zlib.error,  # damaged compressed member
)
"""Errors of `zipfile`, `json` and `numpy.lib.format` for files that are not saved states."""


def save_state(
    path: str | os.PathLike[str] | IO[bytes],
    evaluation: Evaluation,
    state: EvaluationState,
    versions: Mapping[str, str],
) -> None:
    """Save a state to a file, atomically if it is a path.

    Parameters
    ----------
    path : path or binary file
        File to write, usually with the suffix ``.npz``.
    evaluation : Evaluation
        Evaluation, described in the header.
    state : EvaluationState
        Counts to save.
    versions : mapping of str to str
        Distribution versions, for information only. Loading checks the versions of the metrics
        and the schemas instead.

    Raises
    ------
    StateError
        If the file cannot be written, or a state has an array of Python objects.
    """
    if not isinstance(path, (str, os.PathLike)):
        return _write_to(path, state_content(evaluation, state, versions))
    path = Path(path)
    # Rows of metrics with a resource, such as a judge, contain the texts sent to it.
    private = bool(evaluation.resources)
    try:
        with replacing(path, private) as unfinished, unfinished.open("wb") as file:
            _write_state(file, evaluation, state, versions)
    except OSError as error:
        raise StateError(f"{path}: cannot be written, {error.strerror}") from error


def _write_to(file: IO[bytes], content: bytes) -> None:
    try:
        file.write(content)
    except (AttributeError, TypeError, ValueError, OSError) as error:
        found = f", {error}" if isinstance(error, OSError) else ""  # or no file, of text, closed
        raise StateError(
            f"save: expected a path or an open binary file, got {short_repr(file)}{found}",
            "Open a file with: open(path, 'wb')",
        ) from error


def state_content(
    evaluation: Evaluation, state: EvaluationState, versions: Mapping[str, str]
) -> bytes:
    """Return the content of the file that `save_state` writes."""
    file = BytesIO()
    _write_state(file, evaluation, state, versions)
    return file.getvalue()


def _write_state(
    file: IO[bytes], evaluation: Evaluation, state: EvaluationState, versions: Mapping[str, str]
) -> None:
    arrays: list[NDArray[Any]] = []
    header = {
        "valor_state": STATE_FORMAT,
        "schemas": SCHEMAS,
        "request": evaluation.describe(),
        "identity": evaluation.identity(),
        "versions": dict(versions),
        "runs": sorted(state.runs),
        "read": state.read,
        "skipped": state.skipped,
        "outside": state.outside,
        "unfinished": state.unfinished,
        "is_weighted": state.is_weighted,
        "facts": {opening: list(facts) for opening, facts in sorted(state.facts.items())},
        "done": state.done,
        "sides": sorted(state.sides),
        "label_sides": [
            _encode(sorted(labels), arrays)
            for labels in (state.label_sides.true, state.label_sides.predicted)
        ],
        "fields": sorted(state.fields),
        "left_out": dict(sorted(state.left_out.items())),
        "first_left_out": dict(sorted(state.first_left_out.items())),
        "labels": _encode(sorted(state.labels), arrays),
        "uids": _encode(state.uids, arrays),
        "sliced_uids": [
            [slice_to_json(key), _encode(np.concatenate(uids), arrays)]
            for key, uids in state.sliced_uids.items()
        ],
        "slices": [
            {
                "key": slice_to_json(key),
                "items": state.sizes[key],
                "states": _encode([one.dump() for one in states], arrays),
            }
            for key, states in state.states.items()
        ],
    }
    # Store text as bytes: a NumPy string takes four bytes per character.
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(
        file,
        allow_pickle=False,
        **{_HEADER: text},
        **{f"{_ARRAY}{i}": array for i, array in enumerate(arrays)},
    )


def read_header(source: Source) -> dict[str, Any]:
    """Read the JSON header of a saved state.

    Raises
    ------
    StateError
        If the file is not a saved state.
    """
    with _opened(source) as (header, _):
        return header


def load_state(source: Source, evaluation: Evaluation) -> EvaluationState:
    """Load a state from a file, or from its content.

    Raises
    ------
    StateError
        If the file is not a saved state, is damaged, or was made by another request or for
        another schema version.
    """
    with _opened(source) as (header, arrays):
        evaluation.check_same(header["identity"], called_source(source))
        try:
            return _parse_state(header, arrays, evaluation)
        except Exception as error:  # damaged or crafted content may raise any class
            raise _damaged(called_source(source), error) from error


def called_source(source: Source) -> str:
    """Return the path of a saved state, or its size if it is in memory."""
    if isinstance(source, bytes):
        return f"state of {len(source):,} bytes"
    return str(getattr(source, "name", "state") if hasattr(source, "read") else source)


def _damaged(path: str, error: Exception) -> StateError:
    if isinstance(error, ValorError):
        found = error.one_line
    else:  # the message may quote much of the file
        found = f"{type(error).__name__}: {textwrap.shorten(str(error), 200, placeholder=' …')}"
    return StateError(
        f"{path}: expected a saved state, its content is damaged, {found}",
        _REMAKE,
    )


def _parse_state(
    header: Mapping[str, Any], arrays: Arrays, evaluation: Evaluation
) -> EvaluationState:
    state = EvaluationState(
        uids=[_uids(uids) for uids in _decode(header["uids"], arrays)],
        sliced_uids={
            slices.slice_from_json(key): [_uids(_decode(uids, arrays))]
            for key, uids in header.get("sliced_uids", ())  # later than the format
        },
        read=saved_number(header, "read", low=0),
        skipped=saved_number(header, "skipped", low=0),
        outside=saved_number(header, "outside", low=0),
        unfinished=saved_number(header, "unfinished", low=0),
        is_weighted=header.get("is_weighted") is True,  # later than the format
        done=_texts(header, "done"),
        sides=set(_texts(header, "sides")),
        label_sides=LabelSides(*(_labels(part, arrays) for part in header["label_sides"])),
        fields=set(_texts(header, "fields")),
        left_out=Counter({str(what): _count(count) for what, count in header["left_out"].items()}),
        first_left_out={what: _row(*found) for what, found in header["first_left_out"].items()},
        labels=_labels(header["labels"], arrays),
        runs=set(_texts(header, "runs")) if "runs" in header else set(),
        facts={opening: _facts(*facts) for opening, facts in header["facts"].items()},
    )
    width = evaluation.slices.width
    for record in header["slices"]:
        key = slices.slice_from_json(record["key"])
        if len(key) != width or key in state.states:
            raise StateError(
                f"slices: expected {width} values for each once, found {short_repr(key)}"
            )
        states: list[Any] = evaluation.plan.new_states()
        for i, content in enumerate(_contents(record, len(states), arrays)):
            if set(content) == {"broken"}:
                states[i] = FailedState(str(content["broken"]))
            else:
                states[i].restore(content)
        state.states[key] = states
        state.sizes[key] = saved_number({"items": 0, **record}, "items", low=0)
    state.check_uids()
    return state


def _contents(record: Mapping[str, Any], count: int, arrays: Arrays) -> list[dict[str, Any]]:
    contents = _decode(record["states"], arrays)
    if len(contents) != count or not all(isinstance(content, dict) for content in contents):
        raise StateError(f"slices: expected {count} states, found {short_repr(contents)}")
    return list(contents)


def _uids(uids: Any) -> Uids:
    kind = uids.dtype.kind if isinstance(uids, np.ndarray) else ""
    found: Uids = saved_column({"uids": uids}, "uids", kind if kind in ("U", "S") else np.int64)
    return found


def _texts(header: Mapping[str, Any], name: str) -> list[str]:
    texts = header[name]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise StateError(f"{name}: expected texts, found {short_repr(texts)}")
    return texts


def _labels(value: Any, arrays: Arrays) -> set[Label]:
    if not isinstance(value, list):
        raise StateError(f"labels: expected a list, found {short_repr(value)}")
    labels = _decode(value, arrays)
    if not all(isinstance(label, Label) for label in labels):
        raise StateError(f"labels: expected labels, found {short_repr(labels)}")
    return set(labels)


def _count(value: Any) -> int:
    return saved_number({"left_out": value}, "left_out", low=0)


def _row(file: Any, row: Any) -> FileRow:
    return str(file), saved_number({"first_left_out": row}, "first_left_out", low=0)


def _facts(number: Any, facts: Any) -> tuple[int, Facts]:
    if not all(isinstance(one, Mapping) for one in facts.values()):
        raise StateError(f"facts: expected a table for each resource, found {short_repr(facts)}")
    return saved_number({"facts": number}, "facts", low=0), facts


@contextmanager
def _opened(source: Source) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """Open a saved state: its header, and its arrays, which are read lazily."""
    path = called_source(source)
    try:
        file = zipfile.ZipFile(BytesIO(source) if isinstance(source, bytes) else source)
    except AttributeError as error:
        raise StateError(
            f"load: expected a path, an open binary file or bytes, got {short_repr(source)}",
        ) from error
    except FileNotFoundError as error:
        raise StateError(f"{path}: no such file") from error
    except _DAMAGE as error:
        foreign = isinstance(error, zipfile.BadZipFile)
        found = _FOREIGN if foreign else f"{type(error).__name__}: {error}"
        raise StateError(f"{path}: expected a saved state, {found}", _WRITTEN) from error
    with file:
        arrays = Arrays(file)
        try:
            header = json.loads(arrays[_HEADER].tobytes())
        except KeyError as error:
            raise StateError(f"{path}: expected a saved state, {_FOREIGN}", _WRITTEN) from error
        except _DAMAGE as error:
            raise _damaged(path, error) from error
        _check_header(path, header)
        yield header, arrays


@frozen
class Arrays:
    """Arrays of a NumPy archive by name, read without pickle.

    Compressed members are rejected: `save_state` writes none, and a crafted file may expand to any
    size.
    """

    file: zipfile.ZipFile

    def __getitem__(self, name: str) -> NDArray[Any]:
        member = self.file.getinfo(f"{name}.npy")
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{name}: expected an array that is not compressed")
        with self.file.open(member) as stream:
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


def _check_header(path: str, header: Any) -> None:
    if not isinstance(header, dict) or header.get("valor_state") != STATE_FORMAT:
        raise StateError(
            f"{path}: expected a saved state of format {STATE_FORMAT}, "
            "found "
            f"{short_repr(header.get('valor_state') if isinstance(header, dict) else header)}",
            _REMAKE,
        )
    if header.get("schemas") != SCHEMAS:
        raise StateError(
            f"{path}: expected version {SCHEMAS} of the schemas, "
            f"found {short_repr(header.get('schemas'))}",
            _REMAKE,
        )
    for part in ("request", "identity"):
        for name, kind in {"task": str, "metrics": list}.items():
            if not isinstance(header.get(part), dict) or not isinstance(
                header[part].get(name), kind
            ):
                raise StateError(f"{path}: expected a saved state, its {part} has no {name}")
        if not all(
            isinstance(metric, dict) and "name" in metric for metric in header[part]["metrics"]
        ):
            raise StateError(f"{path}: expected a saved state, its {part} names no metrics")


def _encode(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Convert a value to JSON; append its arrays to a list and refer to them by index."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise StateError(f"state: expected arrays of numbers or text, got {short_repr(value)}")
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Label):
        return {"label": [value.key, value.value]}
    if isinstance(value, Mapping):
        return {"map": [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_encode(item, arrays) for item in value]
    return value


def _decode(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if isinstance(value, dict):
        if _ARRAY in value:
            return arrays[f"{_ARRAY}{value[_ARRAY]}"]
        if "label" in value:
            return as_label(value["label"])
        return {_decode_key(k, arrays): _decode(v, arrays) for k, v in value["map"]}
    return value


def _decode_key(value: Any, arrays: Arrays) -> Any:
    """Decode a key of a mapping; lists were tuples, since keys are hashable."""
    key = _decode(value, arrays)
    return tuple(key) if isinstance(key, list) else key
