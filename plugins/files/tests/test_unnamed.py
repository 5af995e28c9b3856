from __future__ import annotations

import numpy as np
from messages import refused
from valor_files.unnamed import recognize

from valor_core import Registry
from valor_core.errors import ConfigError


def test_data_that_are_not_tables_infer_nothing() -> None:
    assert recognize([np.zeros(3)], Registry(), None, ()) is None


def test_unrecognized_table_is_rejected_with_columns_and_readers() -> None:
    with refused(ConfigError):
        recognize([{"foo": [1], "bar": [2]}], Registry(), "text", ())


def test_task_without_table_readers_suggests_from_arrays() -> None:
    with refused(ConfigError):
        recognize([{"foo": [1], "bar": [2]}], Registry(), "segmentation", ())
