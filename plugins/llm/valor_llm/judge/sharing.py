"""Sharing: whoever asks the same gets the same answer, and it is worked out once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from attrs import define, field

T = TypeVar("T")

_REMEMBERED = 16_384
"""Answers that are remembered: metrics go through the items of a batch side by side, so that what
is asked twice is asked soon."""


@define
class _Work(Generic[T]):
    """One task, and how many wait for it."""

    task: asyncio.Task[T]
    askers: int = 0


@define
class Sharing(Generic[T]):
    """Answers by key: those worked out now, and the latest of those that were.

    One loop alone may call it. What fails is told to all who wait, and is not remembered.

    Examples
    --------
    >>> async def answer():
    ...     await asyncio.sleep(0)
    ...     return object()
    >>> async def ask():
    ...     sharing = Sharing()
    ...     one, other = await asyncio.gather(*(sharing.once("key", answer) for _ in range(2)))
    ...     return one is other and one is await sharing.once("key", answer)
    >>> asyncio.run(ask())
    True
    """

    remembered: int = _REMEMBERED
    _under_way: dict[str, _Work[T]] = field(factory=dict, init=False)
    _answers: OrderedDict[str, T] = field(factory=OrderedDict, init=False)

    async def once(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer to a key.

        Who is cancelled takes nothing from the others. With the last one, the work is cancelled.

        Parameters
        ----------
        key : str
            What is asked.
        work : callable
            Begins to work it out.
        """
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        own = self._under_way.get(key)
        if own is None:
            own = self._under_way[key] = _Work(asyncio.create_task(work()))
        own.askers += 1
        try:
            answer = await asyncio.shield(own.task)
        finally:
            own.askers -= 1
            if own.task.done() or not own.askers:
                own.task.cancel()
                if self._under_way.get(key) is own:
                    del self._under_way[key]
        self._remember(key, answer)
        return answer

    def _remember(self, key: str, answer: T) -> None:
        self._answers[key] = answer
        self._answers.move_to_end(key)
        if len(self._answers) > self.remembered:
            self._answers.popitem(last=False)
