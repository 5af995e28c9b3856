"""Errors for HTTP answers without a reply."""

from __future__ import annotations

import pytest
from cases import for_each
from valor_llm.clients.http.faults import fault, retry_after, said
from valor_llm.clients.protocol import (
    BadRequest,
    ClientError,
    FatalError,
    RateLimited,
    TransientError,
)

NOW = 1_000_000_000.0  # 2001-09-09 01:46:40 UTC


@pytest.mark.parametrize(
    ("statuses", "kind"),
    [
        ((429, 529), RateLimited),
        ((408, 409, 425, 500, 502, 503, 504, 520), TransientError),
        ((400, 413, 422), BadRequest),
        ((301, 307, 401, 402, 403, 404, 405, 410, 501), FatalError),
    ],
)
def test_a_status_says_whether_another_call_may_do(
    statuses: tuple[int, ...], kind: type[ClientError]
) -> None:
    for status in statuses:
        assert type(fault(status, {}, "so", "http://h", NOW)) is kind, status


def test_a_busy_server_that_names_a_time_is_a_rate_limit() -> None:
    error = fault(503, {"retry-after": "4"}, "", "http://h", NOW)
    assert isinstance(error, RateLimited)
    assert error.after == 4.0


@pytest.mark.parametrize(
    "message",
    [
        b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}',
        b'{"error": {"message": "Your credit balance is too low"}}',
    ],
)
def test_an_account_without_credit_is_not_asked_again(message: bytes) -> None:
    error = fault(429, {}, said(message), "http://h", NOW)
    assert isinstance(error, FatalError)
    assert error.remedy == "Add credit to the account, or use another key"


def test_a_rate_limit_that_links_to_billing_is_one() -> None:
    message = "Rate limit reached. Visit https://h/account/billing to add a payment method."
    assert isinstance(fault(429, {}, message, "http://h", NOW), RateLimited)


def test_a_reply_that_failed_to_follow_a_schema_may_succeed_another_time() -> None:
    message = b'{"error": {"message": "Failed to generate JSON", "code": "json_validate_failed"}}'
    assert type(fault(400, {}, said(message), "http://h", NOW)) is TransientError


@for_each(
    ("headers", "seconds"),
    [
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "3e9"}, 3e9),
        ({"retry-after": "100000030"}, 100000030.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:47:40 GMT"}, 60.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "1500", "retry-after": "20"}, 1.5),
        ({"x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1h0m6s"}, 3606.0),
        ({"x-ratelimit-reset": "1000000030"}, 30.0),
        ({"x-ratelimit-reset": "1000000030000"}, 30.0),
        ({"anthropic-ratelimit-requests-reset": "2001-09-09T01:46:50Z"}, 10.0),
        (
            {
                "x-ratelimit-remaining-requests": "99",
                "x-ratelimit-reset-requests": "8s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "3s",
            },
            3.0,
        ),
        ({"x-ratelimit-remaining-requests": "99", "x-ratelimit-reset-requests": "8s"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_wish_to_be_left_alone_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    found = retry_after(headers, NOW)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"error": {"message": "no such model", "type": "invalid"}}', "no such model (invalid)"),
        (b'{"error": "model \'x\' not found"}', "model 'x' not found"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"loc": ["body", "seed"]}]}', '[{"loc": ["body", "seed"]}]'),
        (b'{"object": "error", "message": "too long", "param": null}', "too long"),
        (b"<html><body><h1>502\n Bad Gateway</h1></body></html>", "502 Bad Gateway"),
        (b"\xff\xfe", "��"),
        (b"", ""),
        (b"[" * 100_000, "[" * 399 + "…"),
        (b"null", "null"),
    ],
)
def test_what_an_answer_says_fits_one_line(data: bytes, text: str) -> None:
    assert said(data) == text
