"""Server of the viewer on the loopback interface.

It answers ``GET`` for a few fixed paths, to names of this machine only, so that no other machine
and no page of another site reads the report. No path of a request names a file.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from valor_core.errors import ReportError
from valor_report.output_files import SHOW_TRACEBACK, bug_message
from valor_report.viewer.pages import ViewerPages

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost", "[::1]")
_RULES = "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_SECONDS = 30
"""Time that a client has to send a request."""


class ViewerServer(ThreadingHTTPServer):
    """Server of the pages of a report.

    Parameters
    ----------
    pages : ViewerPages
        The pages.
    port : int
        Port; 0 for a free one.

    Raises
    ------
    ReportError
        If the port is not free.
    """

    daemon_threads = True

    def __init__(self, pages: ViewerPages, port: int = 0) -> None:
        self.pages = pages
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "port must be at most 65535"
            raise ReportError(
                f"--port: expected a free port, got {port}, {reason}",
                "Omit --port to use a free one.",
            ) from error

    @property
    def address(self) -> str:
        """Address of the first page."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that close the connection; print other errors if requested."""
        error = sys.exception()
        if not isinstance(error, OSError) and os.environ.get("VALOR_TRACEBACK"):
            traceback.print_exc()


class _Handler(BaseHTTPRequestHandler):
    server: ViewerServer
    server_version = "valor"
    sys_version = ""
    timeout = _SECONDS

    def do_GET(self) -> None:
        """Answer with a page."""
        if not self._is_local():
            self._send_text(HTTPStatus.FORBIDDEN, "Open the address that valor view has printed.")
            return
        try:
            address = urlsplit(self.path)
        except ValueError:
            self._send_text(HTTPStatus.BAD_REQUEST, "Expected the path of a page.")
            return
        try:
            page = self.server.pages.page(address.path, address.query)
        except Exception as error:
            if os.environ.get("VALOR_TRACEBACK"):
                traceback.print_exc()
            self._send_text(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"{bug_message(error)}\n{SHOW_TRACEBACK}"
            )
            return
        self._send(page.status, "text/html; charset=utf-8", page.html, page.policy)

    def _refuse(self) -> None:
        self._send_text(HTTPStatus.METHOD_NOT_ALLOWED, "The viewer answers GET only.")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _refuse  # noqa: N815

    def _is_local(self) -> bool:
        """Return whether a request names this machine, and comes from no page of another site."""
        hosts = self.headers.get_all("Host", [])
        name = re.sub(r":\d*$", "", hosts[0]) if len(hosts) == 1 else ""
        is_page = self.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        is_foreign = self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        return name.lower() in _NAMES and (is_page or not is_foreign)

    def _send_text(self, status: HTTPStatus, text: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{text}\n", "default-src 'none'")

    def _send(self, status: int, kind: str, text: str, policy: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", f"{policy}; {_RULES}"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Print no line for each request."""
