"""Connections with a deadline per answer, which are reused only after valid answers."""

from __future__ import annotations

import contextlib
import io
import socket
import ssl
import time
import urllib.request
from contextlib import suppress
from http.client import BadStatusLine, HTTPResponse, parse_headers
from ipaddress import ip_address
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from valor_core.errors import ResourceError


class Waiting:
    """Sockets of the calls in progress.

    Attributes
    ----------
    ended : bool
        Whether all calls have to end.
    """

    def __init__(self) -> None:
        self.ended = False
        self._sockets: set[socket.socket] = set()

    def add(self, one: socket.socket) -> None:
        """Register a socket of a call in progress."""
        self._sockets.add(one)
        if self.ended:
            _shut(one)

    def discard(self, one: socket.socket) -> None:
        """Unregister a socket."""
        self._sockets.discard(one)

    def end(self) -> None:
        """Shut all sockets down, so that waiting calls read the end of the stream."""
        self.ended = True
        for one in tuple(self._sockets):
            _shut(one)


def pools(waiting: Waiting) -> dict[str, type[urllib3.HTTPConnectionPool]]:
    """Pool classes by scheme; their timeout limits the total time of an answer."""

    class Answer(_Answer):
        sockets = waiting

    class Plain(_Held, HTTPConnection):
        response_class = Answer

    class Secure(_Held, HTTPSConnection):
        response_class = Answer

    class PlainPool(_Reusing, urllib3.HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(_Reusing, urllib3.HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


class _Held:
    """A connection that is in use until its answer has been checked."""

    is_held = False

    def getresponse(self) -> Any:
        self.is_held = True
        return super().getresponse()  # type: ignore[misc]


class _Reusing:
    """Pool that gets a connection back after its user has checked the answer.

    urllib3 returns a connection to the pool at the end of an answer. If the answer turns out to be
    invalid, a leftover on the connection could become the answer to the next call.
    """

    def _put_conn(self, connection: Any) -> None:
        if connection is None or not connection.is_held:
            super()._put_conn(connection)  # type: ignore[misc]

    def give_back(self, connection: Any, fit: bool) -> None:
        """Return a connection to the pool, or close it if it cannot be reused."""
        connection.is_held = False
        if not fit:
            connection.close()
        self._put_conn(connection)


_MOST_INTERIM = 100


class _Answer(HTTPResponse):
    """An answer that is read until its deadline, however slowly the bytes come."""

    sockets: ClassVar[Waiting]

    def __init__(self, sock: socket.socket, *args: Any, **more: Any) -> None:
        super().__init__(sock, *args, **more)
        self._until = _Until(self.fp.detach(), sock, self.sockets)
        self.fp = io.BufferedReader(self._until, 65536)
        self._socket = sock

    def _read_status(self) -> tuple[str, int, str]:
        """Read the status line of the answer, after interim ones (RFC 9110, 15.2)."""
        for _ in range(_MOST_INTERIM):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status >= 200 or status == 101:  # 101 is the last answer in this protocol
                return version, status, reason
            parse_headers(self.fp)
        raise BadStatusLine(f"more than {_MOST_INTERIM} interim answers")

    def _close_conn(self) -> None:
        """Release the stream; a socket that sent more than the answer is not reused."""
        if not self.fp.closed and self._until.has_more(self.fp):
            _shut(self._socket)
        super()._close_conn()  # type: ignore[misc]


class _Until(io.RawIOBase):
    """Bytes of a socket, read until a deadline.

    A socket's timeout restarts with every byte, and a read that is stuck cannot be cancelled. So
    the stream is detached from the answer, and each read gets the rest of the deadline.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, waiting: Waiting) -> None:
        self._raw, self._socket, self._waiting = raw, sock, waiting
        self._is_over = False
        timeout = sock.gettimeout()
        self._end = float("inf") if timeout is None else time.monotonic() + timeout
        waiting.add(sock)

    def readable(self) -> bool:
        return True

    def has_more(self, buffered: io.BufferedReader) -> bool:
        """Return whether bytes after the answer were read with it; reads no more."""
        self._is_over = True
        return bool(buffered.peek(1))

    def readinto(self, buffer: Any) -> int | None:
        if self._is_over:
            return None
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
        # Not the method of a TLS socket, which drops its state while another thread reads.
        socket.socket.shutdown(one, socket.SHUT_RDWR)


KEPT = 1024  # connections; there are never more concurrent calls


def connections(scheme: str, host: str, where: str) -> urllib3.PoolManager:
    """Return connections to a host, through the proxy that the environment names for it."""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if proxy is None or _is_here(host) or urllib.request.proxy_bypass(host):
        context = ssl.create_default_context() if scheme == "https" else None
        return urllib3.PoolManager(maxsize=KEPT, ssl_context=context)
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    # A slash in a password would end the host within it.
    is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.path
    if not is_one or not _has_port(parts):
        raise ResourceError(
            f"{where}: expected an http proxy for {host} in the environment, found another",
            f"Set {scheme}_proxy to http://HOST:PORT (%2F for a slash in a secret), or no_proxy to "
            f"{host}",
        )
    user = None if parts.username is None else f"{parts.username}:{parts.password or ''}"
    context = ssl.create_default_context()
    return urllib3.ProxyManager(
        f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        maxsize=KEPT,
        ssl_context=context,
        proxy_ssl_context=context,
        proxy_headers=urllib3.make_headers(proxy_basic_auth=user) if user else None,
    )


def _has_port(parts: SplitResult) -> bool:
    """Return whether the port is missing or a valid number."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def _is_here(host: str) -> bool:
    """Return whether a host is this machine, which needs no proxy."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host.casefold().rstrip(".") == "localhost"
