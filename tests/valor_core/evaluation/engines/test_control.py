from valor_core.cancellation import LocalControl
from valor_core.evaluation.engines import STOPPED_BY_USER


def test_first_reason_to_stop_is_kept():
    control = LocalControl()

    control.stop(STOPPED_BY_USER)
    control.stop("something else")

    assert control.stopped == STOPPED_BY_USER


def test_progress_of_scored_items_is_throttled():
    told = []
    control = LocalControl(told.append)

    for _ in range(1000):
        control.scored(2)

    assert control.count == 2000
    assert told[0] == 2
    assert len(told) < 1000
