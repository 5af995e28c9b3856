import asyncio
import sys
import threading

import pytest

from valor_core.scoring import submit


async def answer(value):
    await asyncio.sleep(0)
    return value


def test_submit_works_inside_running_loop():
    async def inside():
        return submit(answer(1)).result(timeout=10)

    assert asyncio.run(inside()) == 1


def test_all_threads_share_one_loop():
    async def own_thread():
        return threading.current_thread().name

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(submit(own_thread()).result(timeout=10)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == ["valor-waits"] * 3


def test_exit_in_task_does_not_end_loop():
    async def exits():
        async def inner():
            sys.exit(3)

        await asyncio.gather(inner())

    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever it becomes, it is told
        submit(exits()).result(timeout=10)

    assert submit(answer(2)).result(timeout=10) == 2
