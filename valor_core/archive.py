"""Saved states: a NumPy archive with a JSON header, from which nothing is ever unpickled."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core import slices
from valor_core.errors import StateError, shown
from valor_core.evaluation import Evaluation
from valor_core.installer import install
from valor_core.schemas import Label, as_label
from valor_core.schemas.label_sides import LabelSides
from valor_core.tally import Tally
from valor_core.whole_file import replacing

FORMAT = 2
_ARRAY = "array"
_HEADER = "header"
_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


def save(
    path: str | os.PathLike[str],
    evaluation: Evaluation,
    tally: Tally,
    versions: Mapping[str, str],
) -> None:
    """Write a tally to a file, whole or not at all.

    Parameters
    ----------
    path : path
        File to write; by custom it ends in ``.npz``.
    evaluation : Evaluation
        The request; stands in the header.
    tally : Tally
        What was counted.
    versions : mapping of str to str
        Distributions that took part; loading under others is refused.

    Raises
    ------
    StateError
        If the file cannot be written, or a state holds an array of Python objects.
    """
    arrays: list[NDArray[Any]] = []
    header = {
        "valor_state": FORMAT,
        "request": evaluation.describe(),
        "versions": dict(versions),
        "read": tally.read,
        "skipped": tally.skipped,
        "done": tally.done,
        "sides": sorted(tally.sides),
        "label_sides": [
            _encode(sorted(labels), arrays)
            for labels in (tally.label_sides.true, tally.label_sides.predicted)
        ],
        "fields": sorted(tally.fields),
        "left_out": dict(sorted(tally.left_out.items())),
        "labels": _encode(sorted(tally.labels), arrays),
        "uids": _encode(tally.uids, arrays),
        "slices": [
            {
                "key": slices.written(key),
                "states": _encode([state.dump() for state in states], arrays),
            }
            for key, states in tally.states.items()
        ],
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    path = Path(path)
    try:
        with replacing(path) as unfinished, unfinished.open("wb") as file:
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
    return _read(path)[0]


def load(
    path: str | os.PathLike[str], evaluation: Evaluation, versions: Mapping[str, str]
) -> Tally:
    """The tally in a file.

    Raises
    ------
    StateError
        If the file is not a saved state, or was made by another request or other versions.
    """
    header, arrays = _read(path)
    try:
        return _tally(path, header, arrays, evaluation, versions)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StateError(
            f"{path}: expected a saved state, its content is damaged, {type(error).__name__}: "
            f"{error}"
        ) from error


def _tally(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    evaluation: Evaluation,
    versions: Mapping[str, str],
) -> Tally:
    evaluation.check_same(header["request"], str(path))
    for name, version in header["versions"].items():
        if name in versions and versions[name] != version:
            raise StateError(
                f"{path}: made with {name} {version}, installed is {versions[name]}",
                f"Install it with: {install(f'{name}=={version}')}",
            )
    tally = Tally(
        uids=_decode(header["uids"], arrays),
        read=header["read"],
        skipped=header["skipped"],
        done=header["done"],
        sides=set(header["sides"]),
        label_sides=LabelSides(*(set(_decode(part, arrays)) for part in header["label_sides"])),
        fields=set(header["fields"]),
        left_out=Counter(header["left_out"]),
        labels=set(_decode(header["labels"], arrays)),
    )
    for record in header["slices"]:
        states = evaluation.plan.new_states()
        for state, content in zip(states, _decode(record["states"], arrays), strict=True):
            state.restore(content)
        tally.states[slices.read(record["key"])] = states
    return tally


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]]:
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop(_HEADER).tobytes())
    except FileNotFoundError as error:
        raise StateError(f"{path}: no such file") from error
    except _DAMAGE as error:
        # of any other file, np.load says that it could be unpickled
        foreign = "pickle" in str(error)
        found = "found another kind of file" if foreign else f"{type(error).__name__}: {error}"
        raise StateError(f"{path}: expected a saved state, {found}") from error
    if not isinstance(header, dict) or header.get("valor_state") != FORMAT:
        raise StateError(f"{path}: expected a saved state of format {FORMAT}")
    _check_request(path, header.get("request"))
    return header, arrays


def _check_request(path: str | os.PathLike[str], request: Any) -> None:
    kinds = {"task": str, "metrics": list}
    for name, kind in kinds.items():
        if not isinstance(request, dict) or not isinstance(request.get(name), kind):
            raise StateError(f"{path}: expected a saved state, its request has no {name}")


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


def _decode(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if isinstance(value, dict):
        if _ARRAY in value:
            return arrays[f"{_ARRAY}{value[_ARRAY]}"]
        if "label" in value:
            return as_label(value["label"])
        return {_decode_key(k, arrays): _decode(v, arrays) for k, v in value["map"]}
    return value


def _decode_key(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """A key is hashable, so where JSON has a list it was a tuple."""
    key = _decode(value, arrays)
    return tuple(key) if isinstance(key, list) else key
