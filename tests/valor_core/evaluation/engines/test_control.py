from valor_core.cancellation import STOPPED_BY_USER, LocalControl


def test_the_first_reason_to_stop_stays():
    control = LocalControl()

    control.stop(STOPPED_BY_USER)
    control.stop("something else")

    assert control.stopped == STOPPED_BY_USER


def test_scored_items_are_told_a_few_times_a_second_and_all_counted():
    told = []
    control = LocalControl(told.append)

    for _ in range(1000):
        control.scored(2)

    assert control.count == 2000
    assert told[0] == 2
    assert len(told) < 1000
