"""Deadlines: answers that are read until a moment, and not after it, nor after their transport."""

from __future__ import annotations

import contextlib
import io
import socket
import time
from http.client import HTTPResponse
from typing import Any, ClassVar

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection


class Waiting:
    """Sockets that somebody waits for.

    Attributes
    ----------
    ended : bool
        Whether nobody shall wait any more.
    """

    def __init__(self) -> None:
        self.ended = False
        self._sockets: set[socket.socket] = set()

    def add(self, one: socket.socket) -> None:
        """Note that a socket is waited for."""
        self._sockets.add(one)
        if self.ended:
            _shut(one)

    def discard(self, one: socket.socket) -> None:
        """Note that it is not any more."""
        self._sockets.discard(one)

    def end(self) -> None:
        """Let all who wait get the end of the stream."""
        self.ended = True
        for one in tuple(self._sockets):
            _shut(one)


def pools(waiting: Waiting) -> dict[str, type[urllib3.HTTPConnectionPool]]:
    """Pools by scheme, whose answers are read no longer than their time-out in all."""

    class Answer(_Answer):
        sockets = waiting

    class Plain(HTTPConnection):
        response_class = Answer

    class Secure(HTTPSConnection):
        response_class = Answer

    class PlainPool(urllib3.HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(urllib3.HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


class _Answer(HTTPResponse):
    """An answer that is read until its deadline, however slowly the bytes come."""

    sockets: ClassVar[Waiting]

    def __init__(self, sock: socket.socket, *args: Any, **more: Any) -> None:
        super().__init__(sock, *args, **more)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_Until(raw, sock, self.sockets), 65536)


class _Until(io.RawIOBase):
    """Bytes of a socket, until its time-out has passed since the first of them was waited for.

    A socket's own time-out begins anew with every byte.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, waiting: Waiting) -> None:
        self._raw, self._socket, self._waiting = raw, sock, waiting
        timeout = sock.gettimeout()
        self._end = float("inf") if timeout is None else time.monotonic() + timeout
        waiting.add(sock)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        self._socket.settimeout(min(left, 1e6))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._waiting.discard(self._socket)
            self._raw.close()
        super().close()


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not a TLS socket's own method: it forgets its state while another thread reads.
        socket.socket.shutdown(one, socket.SHUT_RDWR)
