"""The transport: every call has an end, keeps its connection, and shows no key."""

from __future__ import annotations

import gzip
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from valor_llm.clients.http.transport import Transport
from valor_llm.clients.protocol import (
    BadRequest,
    ClientError,
    FatalError,
    RateLimited,
    TransientError,
    Unreachable,
)

from valor_core.errors import ResourceError

BODY = {
    "model": "m",
    "messages": [{"role": "user", "content": "Hello?"}],
}
PATH = "/chat/completions"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


def request_on(connection: socket.socket) -> bytes:
    """One request with its body."""
    asked = b""
    while not asked.endswith(b"}"):
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("closed within the request")
        asked += more
    return asked


@contextmanager
def accepting(*answers: Callable[[socket.socket], None], at_once: bool = False) -> Iterator[str]:
    """A server that does something with each connection, in turn or at once; its host and port."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(5)

    def serve(answer: Callable[[socket.socket], None]) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            answer(connection)

    def serve_all() -> None:
        for answer in answers:
            serve(answer)

    threads = [threading.Thread(target=serve_all, daemon=True)]
    if at_once:
        threads = [threading.Thread(target=serve, args=(one,), daemon=True) for one in answers]
    for thread in threads:
        thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        for thread in threads:
            thread.join(5)
        listening.close()


@contextmanager
def served(
    *answers: Callable[[socket.socket, bytes], None] | bytes, at_once: bool = False
) -> Iterator[str]:
    """A server with a raw answer on each connection; gives its address."""

    def answering(answer: Callable[[socket.socket, bytes], None] | bytes) -> Any:
        def respond(connection: socket.socket) -> None:
            asked = request_on(connection)
            if isinstance(answer, bytes):
                connection.sendall(answer)
            else:
                answer(connection, asked)

        return respond

    with accepting(*map(answering, answers), at_once=at_once) as host:
        yield f"http://{host}"


def error_of(transport: Transport, deadline: float = 5.0) -> ClientError:
    with pytest.raises(ClientError) as caught:
        transport.post(PATH, BODY, deadline)
    return caught.value


def test_connections_are_kept_between_calls(endpoint: MockEndpoint) -> None:
    transport = Transport(endpoint.base_url)
    for _ in range(5):
        assert transport.post(PATH, BODY, 5.0)["choices"]
    assert endpoint.counters["connections"] == 1


def test_threads_have_separate_connections_that_are_kept() -> None:
    everybody, answers = threading.Barrier(4), []

    def answering(connection: socket.socket, request: bytes) -> None:
        everybody.wait(5)  # all four are connected at once
        while request:
            connection.sendall(OK)
            request = request_on(connection)

    with served(*[answering] * 4, at_once=True) as address:
        transport = Transport(address)

        def post() -> None:
            answers.append(transport.post(PATH, BODY, 5.0))

        for _ in range(3):
            threads = [threading.Thread(target=post) for _ in range(4)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        transport.close()
    assert answers == [{}] * 12  # by four connections: a fifth is not accepted


def test_a_kept_connection_that_was_closed_meanwhile_is_opened_again() -> None:
    with served(OK, OK) as address:
        transport = Transport(address)
        transport.post(PATH, BODY, 5.0)
        time.sleep(0.05)  # until the end of the stream has arrived
        assert transport.post(PATH, BODY, 5.0) == {}


def test_a_connection_that_breaks_after_the_request_is_not_asked_again_here() -> None:
    asked: list[bytes] = []

    def broken(connection: socket.socket, request: bytes) -> None:
        asked.append(request)

    with served(broken) as address:
        error = error_of(Transport(address))
    assert isinstance(error, TransientError)
    assert len(asked) == 1
    assert str(error) == f"{address}: the connection broke, ProtocolError"


@pytest.mark.parametrize("part", ["headers", "body"])
def test_slow_bytes_cannot_exceed_the_deadline(part: str) -> None:
    def dripping(connection: socket.socket, request: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\n" + b"x-more: 1\r\n" * (500 if part == "headers" else 0)
        connection.sendall(b"" if part == "headers" else head + b"content-length: 900\r\n\r\n")
        for byte in head if part == "headers" else b" " * 900:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    with served(dripping) as address:
        began = time.monotonic()
        error = error_of(Transport(address), deadline=0.2)
        assert time.monotonic() - began < 1.0
    assert str(error) == f"{address}: no whole answer within 0.2 s"
    assert isinstance(error, TransientError)


def test_silence_ends_at_the_deadline(endpoint: MockEndpoint) -> None:
    endpoint.configure(script=["hang"])
    error = error_of(Transport(endpoint.base_url), deadline=0.1)
    assert str(error) == f"{endpoint.base_url}: no whole answer within 0.1 s"


def test_closing_ends_calls_in_progress_at_once(endpoint: MockEndpoint) -> None:
    endpoint.configure(script=["hang"])
    transport, errors = Transport(endpoint.base_url), []
    thread = threading.Thread(target=lambda: errors.append(error_of(transport, deadline=60.0)))
    thread.start()
    while not endpoint.counters["in_flight"]:
        time.sleep(0.01)
    transport.close()
    thread.join(2)
    assert not thread.is_alive()
    assert str(errors[0]) == f"{endpoint.base_url}: closed during the call"
    assert str(error_of(transport)) == f"{endpoint.base_url}: the connection is closed"


def test_a_packed_answer_is_unpacked() -> None:
    packed = gzip.compress(b'{"choices": []}')
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    with served(head + packed) as address:
        assert Transport(address).post(PATH, BODY, 5.0) == {"choices": []}


def test_an_answer_in_chunks_is_put_together_and_its_connection_kept() -> None:
    chunks = b'4\r\n{"a"\r\n6\r\n: [1]}\r\n0\r\n\r\n'
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

    def twice(connection: socket.socket, request: bytes) -> None:
        connection.sendall(head + chunks)
        request_on(connection)
        connection.sendall(OK)

    with served(twice) as address:
        transport = Transport(address)
        assert transport.post(PATH, BODY, 5.0) == {"a": [1]}
        assert transport.post(PATH, BODY, 5.0) == {}


@pytest.mark.parametrize("is_packed", [False, True])
def test_an_answer_without_end_is_left(is_packed: bool) -> None:
    body = b" " * (9 * 2**20)
    body = gzip.compress(body, 1) if is_packed else body
    head = b"HTTP/1.1 200 OK\r\n" + (b"content-encoding: gzip\r\n" if is_packed else b"")

    def send(connection: socket.socket, request: bytes) -> None:
        connection.sendall(head + b"connection: close\r\n\r\n" + body)

    with served(send) as address:
        error = error_of(Transport(address))
    assert str(error) == f"{address}: the answer has more than 8,388,608 bytes"


def test_an_answer_of_a_call_that_was_left_goes_to_no_other_call() -> None:
    def late(connection: socket.socket, request: bytes) -> None:
        time.sleep(0.15)
        connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"old": 1}')

    with served(late, OK) as address:
        transport = Transport(address)
        error_of(transport, deadline=0.05)
        time.sleep(0.15)
        assert transport.post(PATH, BODY, 5.0) == {}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"<h1>Hello</h1>", "expected an answer in JSON, found Hello"),
        (b"", "expected an answer in JSON, found nothing"),
        (b"[1]", "expected a JSON object, found [1]"),
        (b"null", "expected a JSON object, found null"),
        (b"[" * 200_000, "expected an answer in JSON, found " + "[" * 399 + "…"),
    ],
)
def test_an_answer_that_is_no_object_may_be_one_next_time(body: bytes, found: str) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body)
    with served(head + body) as address:
        error = error_of(Transport(address))
    assert str(error) == f"{address}: {found}"
    assert type(error) is TransientError


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('{"code": 429, "message": "slow down"}', RateLimited),
        ('{"code": 502, "message": "the provider failed"}', TransientError),
        ('{"code": 400, "message": "no"}', BadRequest),
        ('{"message": "no code"}', TransientError),
        ('"broken"', TransientError),
    ],
)
def test_an_error_with_status_200_is_one(error: str, kind: type[ClientError]) -> None:
    body = b'{"error": %s}' % error.encode()
    with served(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body) as address:
        assert type(error_of(Transport(address))) is kind


def test_a_redirection_is_not_followed_with_the_key() -> None:
    moved = b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://other.test/\r\n"
    with served(moved + b"content-length: 0\r\n\r\n") as address:
        error = error_of(Transport(address))
    assert isinstance(error, FatalError)
    assert str(error) == f"{address}: 307 Temporary Redirect"
    assert error.remedy == "Check base_url; it has to lead to an endpoint"


def test_unreachable_address_is_described_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    error = error_of(Transport(address))
    assert isinstance(error, Unreachable)
    assert str(error) == f"{address}: cannot be reached, Connection refused"
    missing = error_of(Transport("http://judge.invalid"))
    assert str(missing).startswith("http://judge.invalid: cannot be reached, ")
    assert "object at" not in str(missing)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "expected an address that begins with http:// or https://, found ''"),
        (
            "localhost:8000",
            "judge.client.base_url: expected an address that begins with http:// or",
        ),
        ("ftp://h", "judge.client.base_url: expected an address that begins with http:// or"),
        ("http://", "judge.client.base_url: expected an address that begins with http:// or"),
        ("http://h:x/", "judge.client.base_url: expected an address that begins with http:// or"),
    ],
)
def test_an_address_that_is_none_is_an_error_before_any_call(address: str, message: str) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)):
        Transport(address)


def test_an_address_has_no_password_in_it() -> None:
    with pytest.raises(
        ResourceError,
        match=r"judge\.client\.base_url: expected an address without a name and a password",
    ) as caught:
        Transport("https://me:s3cret@judge.test/v1")
    assert "s3cret" not in str(caught.value)


def test_what_follows_the_question_mark_is_sent_and_not_shown(endpoint: MockEndpoint) -> None:
    transport = Transport(f"{endpoint.base_url}/?api-version=preview")
    assert transport.endpoint == endpoint.base_url
    assert transport.post(PATH, BODY, 5.0)["choices"]


def test_a_proxy_of_the_environment_is_asked_but_for_this_machine(
    monkeypatch: pytest.MonkeyPatch, endpoint: MockEndpoint
) -> None:
    asked: list[bytes] = []

    def proxy(connection: socket.socket, request: bytes) -> None:
        asked.append(request)
        connection.sendall(OK)

    with served(proxy) as address:
        host = address.removeprefix("http://")
        monkeypatch.setenv("http_proxy", f"http://me:word@{host}")
        monkeypatch.setenv("no_proxy", "inside.test")
        assert Transport("http://judge.test/v1").post(PATH, BODY, 5.0) == {}
        assert Transport(endpoint.base_url).post(PATH, BODY, 5.0)["choices"]
    head = asked[0].decode().lower()
    assert head.startswith("post http://judge.test/v1/chat/completions http/1.1")
    assert "proxy-authorization: basic bwu6d29yza==" in head  # me:word
    assert Transport("http://inside.test")._pool.host == "inside.test"


def test_a_proxy_that_cannot_be_used_is_an_error_before_any_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "socks5://me:word@proxy.test:1080")
    with pytest.raises(
        ResourceError,
        match=r"expected an http proxy for judge\.test in the environment, found another",
    ) as caught:
        Transport("https://judge.test/v1")
    assert "word" not in str(caught.value)
    monkeypatch.setenv("https_proxy", "http://me:wo/rd@proxy.test:1080")
    with pytest.raises(
        ResourceError,
        match=r"expected an http proxy for judge\.test in the environment, found another",
    ) as caught:
        Transport("https://judge.test/v1")
    assert "wo" not in str(caught.value)


def test_a_certificate_of_ones_own_is_named_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = Path(__file__).parent / "certificates"  # made for these tests, and trusted by nobody
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "localhost.pem", folder / "localhost.key")

    def greet(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            request_on(secure)
            secure.sendall(OK)

    with accepting(greet, greet) as host:
        address = f"https://{host}"
        error = error_of(Transport(address))
        assert isinstance(error, FatalError)
        assert str(error) == f"{address}: its certificate cannot be verified"
        assert error.remedy is not None
        assert "export SSL_CERT_FILE=" in error.remedy
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "localhost.pem"))
        assert Transport(address).post(PATH, BODY, 5.0) == {}
