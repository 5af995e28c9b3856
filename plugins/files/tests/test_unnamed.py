from __future__ import annotations

import numpy as np
from messages import refused
from valor_files.unnamed import recognize

from valor_core import Registry
from valor_core.errors import ConfigError


def test_what_is_no_table_is_left_alone() -> None:
    assert recognize([np.zeros(3)], Registry(), None, ()) is None


def test_a_table_that_no_reader_knows_is_refused_with_its_columns_and_the_readers() -> None:
    with refused(ConfigError):
        recognize([{"foo": [1], "bar": [2]}], Registry(), "text", ())


def test_a_table_of_a_task_without_readers_of_tables_is_answered_with_what_makes_a_batch() -> None:
    with refused(ConfigError):
        recognize([{"foo": [1], "bar": [2]}], Registry(), "segmentation", ())
