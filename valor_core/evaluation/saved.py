"""Saved states: a NumPy archive with a JSON header, from which nothing is ever unpickled."""

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
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import StateError, ValorError, shown
from valor_core.evaluation import slices
from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.state import EvaluationState
from valor_core.resources.bound import Facts
from valor_core.results.files import replacing
from valor_core.schemas import VERSION as SCHEMAS
from valor_core.schemas import Label, as_label
from valor_core.schemas.batch import FileRow
from valor_core.schemas.datum import Uids
from valor_core.schemas.pairing import LabelSides
from valor_core.schemas.slice_values import slice_to_json
from valor_core.states.saved_columns import saved_column, saved_number
from valor_core.states.state import FailedState

STATE_FORMAT = 4
_ARRAY = "array"
_HEADER = "header"
_FOREIGN = "found another kind of file"
_WRITTEN = "Name a file that a run has written with: valor run CONFIG --state FILE"
_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    MemoryError,
    RuntimeError,  # of zipfile where a member calls itself encrypted
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def save_state(
    path: str | os.PathLike[str],
    evaluation: Evaluation,
    state: EvaluationState,
    versions: Mapping[str, str],
) -> None:
    """Write a tally to a file, whole or not at all.

    Parameters
    ----------
    path : path
        File to write; by custom it ends in ``.npz``.
    evaluation : Evaluation
        The request; stands in the header.
    state : EvaluationState
        What was counted.
    versions : mapping of str to str
        Distributions that took part, for whoever reads the file; what has to be the same are the
        versions of the metrics, which stand in the request, and that of the schemas.

    Raises
    ------
    StateError
        If the file cannot be written, or a state holds an array of Python objects.
    """
    arrays: list[NDArray[Any]] = []
    header = {
        "valor_state": STATE_FORMAT,
        "schemas": SCHEMAS,
        "request": evaluation.describe(),
        "identity": evaluation.identity(),
        "versions": dict(versions),
        "read": state.read,
        "skipped": state.skipped,
        "outside": state.outside,
        "unfinished": state.unfinished,
        "facts": {opening: list(told) for opening, told in sorted(state.facts.items())},
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
        "slices": [
            {
                "key": slice_to_json(key),
                "states": _encode([state.dump() for state in states], arrays),
            }
            for key, states in state.states.items()
        ],
    }
    # Text is kept as bytes: an array of one string takes four bytes a character.
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    path = Path(path)
    # Rows of metrics that use a resource, such as a judge, repeat the texts that it was sent.
    private = bool(evaluation.resources)
    try:
        with replacing(path, private) as unfinished, unfinished.open("wb") as file:
            np.savez(
                file,
                allow_pickle=False,
                **{_HEADER: text},
                **{f"{_ARRAY}{i}": array for i, array in enumerate(arrays)},
            )
    except OSError as error:
        raise StateError(f"{path}: cannot be written, {error.strerror}") from error


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON header of a saved state.

    Raises
    ------
    StateError
        If the file is not one.
    """
    with _opened(path) as (header, _):
        return header


def load_state(path: str | os.PathLike[str], evaluation: Evaluation) -> EvaluationState:
    """The state in a file.

    Raises
    ------
    StateError
        If the file is not a saved state, is damaged, or was made by another request or for
        another version of the schemas.
    """
    with _opened(path) as (header, arrays):
        evaluation.check_same(header["identity"], str(path))
        try:
            return _state(header, arrays, evaluation)
        except Exception as error:  # whatever a damaged or crafted content leads to
            raise _damaged(path, error) from error


def _damaged(path: str | os.PathLike[str], error: Exception) -> StateError:
    if isinstance(error, ValorError):
        found = error.one_line
    else:  # which may quote half the file
        found = f"{type(error).__name__}: {textwrap.shorten(str(error), 200, placeholder=' …')}"
    return StateError(
        f"{path}: expected a saved state, its content is damaged, {found}",
        "Make it anew: remove the file and run the evaluation again.",
    )


def _state(header: Mapping[str, Any], arrays: Arrays, evaluation: Evaluation) -> EvaluationState:
    state = EvaluationState(
        uids=[_uids(uids) for uids in _decode(header["uids"], arrays)],
        read=saved_number(header, "read", low=0),
        skipped=saved_number(header, "skipped", low=0),
        outside=saved_number(header, "outside", low=0),
        unfinished=saved_number(header, "unfinished", low=0),
        done=_texts(header, "done"),
        sides=set(_texts(header, "sides")),
        label_sides=LabelSides(*(_labels(part, arrays) for part in header["label_sides"])),
        fields=set(_texts(header, "fields")),
        left_out=Counter({str(what): _count(count) for what, count in header["left_out"].items()}),
        first_left_out={what: _place(*found) for what, found in header["first_left_out"].items()},
        labels=_labels(header["labels"], arrays),
        facts={opening: _facts(*told) for opening, told in header["facts"].items()},
    )
    width = len(evaluation.slices.fields)
    for record in header["slices"]:
        key = slices.slice_from_json(record["key"])
        if len(key) != width or key in state.states:
            raise StateError(f"slices: expected {width} values for each once, found {shown(key)}")
        states: list[Any] = evaluation.plan.new_states()
        for place, content in enumerate(_contents(record, len(states), arrays)):
            if set(content) == {"broken"}:
                states[place] = FailedState(str(content["broken"]))
            else:
                states[place].restore(content)
        state.states[key] = states
    state.check_uids()
    return state


def _contents(record: Mapping[str, Any], count: int, arrays: Arrays) -> list[dict[str, Any]]:
    contents = _decode(record["states"], arrays)
    if len(contents) != count or not all(isinstance(content, dict) for content in contents):
        raise StateError(f"slices: expected {count} states, found {shown(contents)}")
    return list(contents)


def _uids(uids: Any) -> Uids:
    kind = uids.dtype.kind if isinstance(uids, np.ndarray) else ""
    found: Uids = saved_column({"uids": uids}, "uids", kind if kind in ("U", "S") else np.int64)
    return found


def _texts(header: Mapping[str, Any], name: str) -> list[str]:
    texts = header[name]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise StateError(f"{name}: expected texts, found {shown(texts)}")
    return texts


def _labels(value: Any, arrays: Arrays) -> set[Label]:
    if not isinstance(value, list):
        raise StateError(f"labels: expected a list, found {shown(value)}")
    labels = _decode(value, arrays)
    if not all(isinstance(label, Label) for label in labels):
        raise StateError(f"labels: expected labels, found {shown(labels)}")
    return set(labels)


def _count(value: Any) -> int:
    return saved_number({"left_out": value}, "left_out", low=0)


def _place(file: Any, row: Any) -> FileRow:
    return str(file), saved_number({"first_left_out": row}, "first_left_out", low=0)


def _facts(asked: Any, facts: Any) -> tuple[int, Facts]:
    if not all(isinstance(told, Mapping) for told in facts.values()):
        raise StateError(f"facts: expected a table for each resource, found {shown(facts)}")
    return saved_number({"facts": asked}, "facts", low=0), facts


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """The header of a state, and its arrays, each of which is read when it is asked for."""
    try:
        file = zipfile.ZipFile(path)
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
    """The arrays of a NumPy archive by name; nothing is unpickled, and nothing unpacked.

    `save_state` compresses nothing. Whoever made a small file with a compressed member meant it to
    be large once it is read.
    """

    file: zipfile.ZipFile

    def __getitem__(self, name: str) -> NDArray[Any]:
        member = self.file.getinfo(f"{name}.npy")
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{name}: expected an array that is not compressed")
        with self.file.open(member) as stream:
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


def _check_header(path: str | os.PathLike[str], header: Any) -> None:
    if not isinstance(header, dict) or header.get("valor_state") != STATE_FORMAT:
        raise StateError(
            f"{path}: expected a saved state of format {STATE_FORMAT}, "
            f"found {shown(header.get('valor_state') if isinstance(header, dict) else header)}",
            "Make it anew: remove the file and run the evaluation again.",
        )
    if header.get("schemas") != SCHEMAS:
        raise StateError(
            f"{path}: made for version {shown(header.get('schemas'))} of the schemas, this is "
            f"{SCHEMAS}",
            "Make it anew: remove the file and run the evaluation again.",
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
    """JSON for a value in which every array is a reference to a list."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise StateError(f"state: expected arrays of numbers or text, got {shown(value)}")
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
    """A key is hashable, so where JSON has a list it was a tuple."""
    key = _decode(value, arrays)
    return tuple(key) if isinstance(key, list) else key
