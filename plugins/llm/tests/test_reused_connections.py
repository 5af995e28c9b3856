"""Answers reach the calls that asked for them, even if an endpoint sends extra bytes."""

from __future__ import annotations

import gzip
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from test_transport import BODY, OK, PATH, accepting, error_of, request_on, served
from valor_llm.clients.http.connections import _is_here
from valor_llm.clients.http.transport import Transport


def answer(body: bytes, *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 200 OK", *headers, b"content-length: %d" % len(body), b"", body]
    return b"\r\n".join(lines)


@pytest.mark.parametrize(
    "interim",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\nx: 1\r\n\r\n" * 20,
        b"HTTP/1.1 199 Unknown\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
    ],
)
@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_answer_after_interim_answers_is_read(interim: bytes, pause: float) -> None:
    def send(connection: socket.socket, request: bytes) -> None:
        connection.sendall(interim if pause else interim + answer(b'{"right": 1}'))
        if pause:
            threading.Event().wait(pause)
            connection.sendall(answer(b'{"right": 1}'))

    with served(send) as address:
        assert Transport(address).post(PATH, BODY, 5.0) == {"right": 1}


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        (b'{"message": {"content": "yes", "content": "no"}}', False),
        (b'{"choices": [], "choices": [1]}', False),
        (b'{"message": {"content": "yes", "content": "yes"}}', True),
    ],
)
def test_answer_with_two_values_for_a_key_is_a_fault(body: bytes, is_read: bool) -> None:
    with served(answer(body)) as address:
        if is_read:
            assert Transport(address).post(PATH, BODY, 5.0) == {"message": {"content": "yes"}}
        else:
            assert "one value for each key" in str(error_of(Transport(address)))


@pytest.mark.parametrize("status", [b"101 Switching Protocols", b"304 Not Modified"])
def test_answer_that_is_no_success_is_a_fault(status: bytes) -> None:
    with served(b"HTTP/1.1 %s\r\ncontent-length: 2\r\n\r\n{}" % status) as address:
        assert status[:3].decode() in str(error_of(Transport(address)))


def test_endless_interim_answers_end_the_call() -> None:
    with served(b"HTTP/1.1 102 Processing\r\n\r\n" * 5000) as address:
        assert "connection broke" in str(error_of(Transport(address)))


@pytest.mark.parametrize(
    "first",
    [
        answer(b"<h1>busy</h1>"),
        answer(b""),
        answer(b"[1]"),
        b"HTTP/1.1 500 Oops\r\ncontent-length: 2\r\n\r\n{}",
        answer(b'{"first": 1}') + answer(b'{"late": 1}'),
        answer(b'{"first": 1}') + b"HTTP/1.1 2",
    ],
)
def test_next_call_does_not_read_what_follows_an_unusable_answer(first: bytes) -> None:
    connections: list[int] = []

    def wrong(connection: socket.socket) -> None:
        connections.append(1)
        request_on(connection)
        connection.sendall(first)
        while True:  # a late answer to the first call, for whoever reads on
            request_on(connection)
            connection.sendall(answer(b'{"wrong": 1}'))

    def right(connection: socket.socket) -> None:
        connections.append(2)
        request_on(connection)
        connection.sendall(answer(b'{"right": 1}'))

    with accepting(wrong, right) as host:
        transport = Transport(f"http://{host}")
        if b'"first"' in first:
            assert transport.post(PATH, BODY, 5.0) == {"first": 1}
        else:
            error_of(transport)
        assert transport.post(PATH, BODY, 5.0) == {"right": 1}
        transport.close()


def test_late_answers_after_interim_ones_reach_their_calls() -> None:
    """Each of 16 threads gets the answer with the number that it sent."""

    def echo(connection: socket.socket) -> None:
        while True:
            request = request_on(connection)
            connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")
            threading.Event().wait(0.005)
            connection.sendall(answer(request[request.index(b"\r\n\r\n") + 4 :]))

    with accepting(*[echo] * 16, at_once=True) as host:
        transport = Transport(f"http://{host}")

        def ask(number: int) -> bool:
            return transport.post(PATH, {"number": number}, 5.0) == {"number": number}

        with ThreadPoolExecutor(16) as threads:
            assert all(threads.map(ask, range(128)))
        transport.close()


def deflated(body: bytes) -> bytes:
    made = zlib.compressobj(wbits=-15)
    return made.compress(body) + made.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        (b"gzip", gzip.compress),
        (b"deflate", zlib.compress),
        (b"deflate", deflated),
        (b"gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
        (b"gzip", lambda body: gzip.compress(body[:3]) + gzip.compress(body[3:])),
        (b"identity", bytes),
    ],
)
def test_compressed_answer_is_read(encoding: bytes, pack: Callable[[bytes], bytes]) -> None:
    with served(answer(pack(b'{"a": 1}'), b"content-encoding: " + encoding)) as address:
        assert Transport(address).post(PATH, BODY, 5.0) == {"a": 1}


@pytest.mark.parametrize(
    "sent",
    [
        answer(gzip.compress(b'{"a": 1}')[:-4], b"content-encoding: gzip"),
        answer(b"not packed", b"content-encoding: gzip"),
        answer(b"{}", b"content-encoding: br"),
        answer(b"{}", b"content-encoding: gzip, gzip, gzip, gzip"),
    ],
    ids=["cut", "not packed", "unknown", "four times"],  # packed bytes have the time in them
)
def test_answer_that_cannot_be_unpacked_is_a_fault(sent: bytes) -> None:
    with served(sent) as address:
        assert "connection broke" in str(error_of(Transport(address)))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("status", [b"200 OK", b"302 Found", b"500 Oops"])
def test_body_that_unpacks_to_gigabytes_is_left_at_its_limit(layers: int, status: bytes) -> None:
    body = gzip.compress(bytes(64 * 2**20), 9)
    body = gzip.compress(body) if layers == 2 else body
    head = b"HTTP/1.1 %s\r\ncontent-encoding: %s\r\ncontent-length: %d\r\n\r\n"
    sent = head % (status, b", ".join([b"gzip"] * layers), len(body)) + body
    with served(sent) as address:
        transport = Transport(address)
        tracemalloc.start()
        error_of(transport)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 32 * 2**20


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        *((one, True) for one in ("localhost", "LOCALHOST.", "127.0.0.1", "127.8.9.1", "::1")),
        *((one, False) for one in ("127.evil.example", "localhost.example", "10.0.0.1", "::2")),
    ],
)
def test_proxy_is_bypassed_for_addresses_of_this_machine_alone(host: str, is_here: bool) -> None:
    assert _is_here(host) == is_here


def test_connection_with_a_usable_answer_is_kept() -> None:
    accepted: list[int] = []

    def twice(connection: socket.socket) -> None:
        accepted.append(1)
        for _ in range(3):
            request_on(connection)
            connection.sendall(OK)

    with accepting(twice) as host:
        transport = Transport(f"http://{host}")
        for _ in range(3):
            assert transport.post(PATH, BODY, 5.0) == {}
    assert accepted == [1]
