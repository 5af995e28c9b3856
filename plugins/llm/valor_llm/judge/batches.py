"""Batches of a judge: questions of many items that are sent together and collected later.

Questions are collected until no more arrive, then sent. A batch in progress is recorded in the
cache's file before anything waits for it, so that another process can collect its replies.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from attrs import define

from valor_core.errors import ResourceError
from valor_llm.clients.batches import BatchEndpoint, BatchGone
from valor_llm.clients.protocol import ClientError, FatalError, Reply, Request, TransientError
from valor_llm.judge.answer import StoredReply
from valor_llm.judge.cache import Cache

_QUIET = 1.0  # seconds
_LOST = 20  # consecutive failed polls of a batch after which its questions fail


@define(eq=False)
class _PendingQuestion:
    """Question that waits for a batch."""

    request: Request
    on_reply: Callable[[Reply], Reply]
    answer: asyncio.Future[Reply]


class Batches:
    """The questions of a judge that wait for a batch.

    All methods run on Valor's event loop; calls of the endpoint and of the file run on threads.

    Parameters
    ----------
    endpoint : BatchEndpoint
        Batch API of the endpoint.
    endpoint_name : str
        Name of the endpoint in the cache.
    cache : Cache
        Cache that records the batches in progress.
    poll_seconds : float
        Seconds between two polls of a batch.
    """

    def __init__(
        self, endpoint: BatchEndpoint, endpoint_name: str, cache: Cache, poll_seconds: float
    ) -> None:
        self.endpoint = endpoint
        self.endpoint_name = endpoint_name
        self.cache = cache
        self.poll_seconds = poll_seconds
        # Tasks that do not wait for a batch are already scheduled and will ask soon. So a second
        # without a new question means that all tasks wait. A late question goes into the next
        # batch, which only costs time.
        self.quiet = min(_QUIET, poll_seconds)
        self._threads = ThreadPoolExecutor(2, "valor-batches")
        self._asked = 0
        self._collected: list[_PendingQuestion] = []
        self._open: dict[str, str] | None = None
        self._waiting: dict[str, dict[str, _PendingQuestion]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._mine: set[str] = set()
        self._is_sending = False
        self._counted: Counter[str] = Counter()

    async def complete(self, request: Request, on_reply: Callable[[Reply], Reply]) -> Reply:
        """Return the reply to a request, which is sent together with other requests.

        Parameters
        ----------
        request : Request
            The request, with the key of its question.
        on_reply : callable
            Keeps a reply, on the thread that got it.

        Raises
        ------
        ClientError
            If there is no reply.
        """
        if self._open is None:
            batches = self.cache.batches(self.endpoint_name)
            self._open = {key: batch for batch, keys in batches.items() for key in keys}
        self._asked += 1
        asked = _PendingQuestion(request, on_reply, asyncio.get_running_loop().create_future())
        batch = self._open.get(request.key)
        if batch is None:
            self._collected.append(asked)
            if not self._is_sending:
                self._is_sending = True
                self._begin(self._send_when_quiet())
        else:
            self._wait_for(batch, [asked])
        return await asked.answer

    def facts(self) -> dict[str, Any]:
        """Return the facts for the report."""
        return dict(self._counted)

    def warnings(self) -> list[str]:
        """Return a warning about batches that were not collected."""
        left = [batch for batch in (self._open or {}).values() if batch in self._mine]
        if not left:
            return []
        return [
            f"{len(left):,} questions in batches ({', '.join(sorted(set(left)))}) are still in "
            f"progress at {self.endpoint_name}: repeat the run to collect their answers"
        ]

    def close(self) -> None:
        """Stop waiting; sent batches continue at the endpoint."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- sending

    async def _send_when_quiet(self) -> None:
        loop, before = asyncio.get_running_loop(), -1
        while before != self._asked:
            before, began = self._asked, loop.time()
            await asyncio.sleep(self.quiet)
            if loop.time() - began > 2 * self.quiet:
                before = -1  # the loop was busy, and scheduled tasks had no turn
        self._is_sending = False
        asked = [one for one in self._collected if not one.answer.done()]
        self._collected = []
        try:
            parts = list(self._parts(asked))
        except ClientError as error:  # the dialect cannot express a request
            _fail(asked, error)
            return
        await asyncio.gather(*(self._send(part, lines) for part, lines in parts))

    def _parts(
        self, asked: Sequence[_PendingQuestion]
    ) -> Iterator[tuple[list[_PendingQuestion], list[bytes]]]:
        """Split the questions into batches within the limits of the endpoint, with their lines."""
        part: list[_PendingQuestion] = []
        lines: list[bytes] = []
        size = 0
        for one in asked:
            line = self.endpoint.line(one.request.key, one.request)
            is_full = len(part) == self.endpoint.most_requests
            if part and (is_full or size + len(line) > self.endpoint.most_bytes):
                yield part, lines
                part, lines, size = [], [], 0
            part.append(one)
            lines.append(line)
            size += len(line) + 2
        if part:
            yield part, lines

    async def _send(self, asked: list[_PendingQuestion], lines: list[bytes]) -> None:
        keys = [one.request.key for one in asked]

        def submit() -> str:
            batch = self.endpoint.submit(lines)
            # Recorded first: if this process ends, another one can collect the batch.
            self.cache.add_batch(self.endpoint_name, batch, keys)
            return batch

        try:
            batch = await self._on_thread(submit)
        except Exception as error:
            _fail(asked, _stopping(error))
            return
        self._counted["batches"] += 1
        assert self._open is not None
        self._open |= dict.fromkeys(keys, batch)
        self._wait_for(batch, asked)

    # ---- collecting

    def _wait_for(self, batch: str, asked: Sequence[_PendingQuestion]) -> None:
        self._mine.add(batch)
        waiting = self._waiting.get(batch)
        if waiting is None:
            waiting = self._waiting[batch] = {}
            self._begin(self._follow(batch, waiting))
        waiting |= {one.request.key: one for one in asked}

    async def _follow(self, batch: str, waiting: dict[str, _PendingQuestion]) -> None:
        """Poll a batch until it has ended, as long as a question waits for it."""
        failed = 0
        while any(not one.answer.done() for one in waiting.values()):
            try:
                found = await self._on_thread(self.endpoint.results, batch)
                if found is not None:
                    await self._collect(batch, waiting, found)
                    return
                failed = 0
            except BatchGone as error:
                await self._forget(batch, waiting, error)
                return
            except TransientError as error:
                failed += 1
                if failed == _LOST:
                    self._leave(batch, waiting, error)
                    return
            except Exception as error:
                self._leave(batch, waiting, _stopping(error))
                return
            await asyncio.sleep(self.poll_seconds)
        self._waiting.pop(batch, None)

    async def _collect(
        self,
        batch: str,
        waiting: Mapping[str, _PendingQuestion],
        found: Mapping[str, Reply | ClientError],
    ) -> None:
        """Store all replies of a batch and remove it in one transaction, then return them."""
        outcomes: dict[str, Reply | BaseException] = {}

        def keep() -> None:
            with self.cache.together():
                for key, reply in found.items():
                    asked = waiting.get(key)
                    if asked is None:
                        # No task of this process waits for it; a later one finds it in the cache.
                        if isinstance(reply, Reply):
                            self.cache.add(key, StoredReply(reply))
                        continue
                    outcomes[key] = _taken(asked, reply)
                self.cache.remove_batch(self.endpoint_name, batch)

        await self._on_thread(keep)
        self._counted["batched_replies"] += sum(isinstance(one, Reply) for one in found.values())
        self._close_batch(batch)
        lost = TransientError(f"{self.endpoint_name}: batch {batch} has no answer to it", after=0.0)
        for key, asked in waiting.items():
            if key not in outcomes and key in found:  # asked during the transaction
                outcomes[key] = await self._on_thread(_taken, asked, found[key])
            _tell(asked, outcomes.get(key, lost))

    async def _forget(
        self, batch: str, waiting: Mapping[str, _PendingQuestion], error: BatchGone
    ) -> None:
        """Fail the questions of a lost batch so that they are asked again."""
        await self._on_thread(self.cache.remove_batch, self.endpoint_name, batch)
        self._close_batch(batch)
        _fail(waiting.values(), TransientError(str(error), after=0.0))

    def _leave(
        self, batch: str, waiting: Mapping[str, _PendingQuestion], error: BaseException
    ) -> None:
        """Fail the questions of a batch that cannot be collected now; it remains in the file."""
        self._waiting.pop(batch, None)
        _fail(waiting.values(), error)

    def _close_batch(self, batch: str) -> None:
        self._waiting.pop(batch, None)
        self._open = {key: one for key, one in (self._open or {}).items() if one != batch}

    async def _on_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, work, *arguments)


def _taken(asked: _PendingQuestion, reply: Reply | ClientError) -> Reply | BaseException:
    """Parse and store the reply to a question, and return the outcome."""
    if isinstance(reply, ClientError):
        return reply
    try:
        return asked.on_reply(reply)
    except Exception as error:  # of one item; other items of the batch continue
        return error


def _stopping(error: Exception) -> Exception:
    """Convert an error of the file to one that stops the run: sent batches could not be found."""
    if isinstance(error, ResourceError):
        return FatalError(error.message, error.remedy)
    return error


def _fail(asked: Any, error: BaseException) -> None:
    for one in asked:
        _tell(one, error)


def _tell(asked: _PendingQuestion, outcome: Reply | BaseException) -> None:
    if asked.answer.done():  # its task was cancelled
        return
    if isinstance(outcome, BaseException):
        asked.answer.set_exception(outcome)
    else:
        asked.answer.set_result(outcome)
