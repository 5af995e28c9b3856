from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv  # which is what lets small files be read by it
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_files import read_table

assert pyarrow.csv

_PLAIN = Path(__file__).parent / "test_plain_csv.py"


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plain = _module(_PLAIN)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrow")


@given(text=plain.texts(), suffix=st.sampled_from([".csv", ".tsv"]), step=st.integers(4, 60))
def test_pyarrow_says_what_the_rows_say_and_refuses_what_they_refuse(
    folder: Path, text: str, suffix: str, step: int
) -> None:
    path = folder / f"items{suffix}"
    path.write_bytes(text.encode())

    assert plain.everything(path, step) == plain.row_by_row(path, step)


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_have_the_bits_that_python_gives_them(folder: Path, numbers: list[float]) -> None:
    path = folder / "numbers.csv"
    written = [form(number) for number in numbers for form in (repr, "{:.25e}".format)]
    path.write_text("a,b\n" + "".join(f"{text},x\n" for text in written))

    found = read_table(path).floats("a")

    assert found.tobytes() == np.array(list(map(float, written))).tobytes()


@given(digits=st.lists(st.text("0123456789", min_size=1, max_size=40), min_size=1))
def test_decimals_of_any_length_are_rounded_as_python_rounds_them(
    folder: Path, digits: list[str]
) -> None:
    path = folder / "digits.csv"
    path.write_text("a,b\n" + "".join(f"0.{text},x\n" for text in digits))

    found = read_table(path).floats("a")

    assert found.tolist() == [float(f"0.{text}") for text in digits]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_reading_by_pyarrow_does_not_import_pandas(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"items{suffix}"
    columns = {"uid": ["a", "b"], "score": [0.5, 1.5], "n": [1, 2]}
    if suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    elif suffix == ".csv":
        path.write_text("uid,score,n\na,0.5,1\nb,,2\n")
    else:
        path.write_text('{"uid": "a", "score": 0.5, "n": 1}\n{"uid": "b", "score": 1.5, "n": 2}\n')
    program = (
        "import sys, pyarrow.csv, pyarrow.json; from valor_files import read_table; "
        f"table = read_table({str(path)!r}); table.uids('uid'); table.integers('n'); "
        "table.floats('score', allow_missing=True); table.distinct('uid'); table.values('uid'); "
        "print('pandas' in sys.modules)"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.stdout.strip() == "False", run.stderr
