"""The playground served by this computer's Python, over HTTP.

It is made of the standard library alone: a classroom needs no more than a thread for each request,
which waits while processes work, and nothing to install.
"""

from __future__ import annotations

import hmac
import json
import select
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from nasm import __version__
from nasm.apps.play.assets import ASSETS, asset
from nasm.apps.play.folder import Folder
from nasm.apps.play.workers import Busy, Workers
from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass
from nasm.isolation.process import Cancelled
from nasm.show.run_page.document import sources

LARGEST_REQUEST = 2 << 20
"""Bytes of a request; a text of 200,000 characters takes at most that in JSON."""

SECONDS = 30
"""How long a client may take to send a request or to take an answer."""

MOST_CONNECTIONS = 400

API = "/api/"


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served: requests have to name the ``token``, unless that is empty."""

    workers: Workers
    folder: Folder | None
    token: str


class PlayServer(ThreadingHTTPServer):
    """Answers each request in a thread of its own."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], serving: Serving) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        self.serving = serving
        super().__init__(address, _Handler)

    @property
    def origin(self) -> str:
        """Where it is, as a browser of this computer names it."""
        host, port = self.server_address[:2]
        name = str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has gone; anything else is a defect."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request: a file of the page, or a question to the interface."""

    server: PlayServer
    server_version = f"neuron-nasm/{__version__}"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = SECONDS

    def do_GET(self) -> None:
        """A file of the page."""
        found = ASSETS.get(self.path.partition("?")[0])
        if found is None:
            self._answer(HTTPStatus.NOT_FOUND, {"error": "there is no such page"})
            return
        self._send(HTTPStatus.OK, asset(found.name), found.kind)

    def do_HEAD(self) -> None:
        """What a GET would answer, without its content."""
        self.do_GET()

    def do_POST(self) -> None:
        """A question, answered in JSON."""
        path = self.path.partition("?")[0]
        try:
            asked = self._asked()
        except ValueError as error:
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
            return
        if not self._known():
            self._answer(HTTPStatus.FORBIDDEN, {"error": "the token is wrong: use the address "
                         "that neuron-nasm play printed"})  # fmt: skip
            return
        if not path.startswith(API):
            self._answer(HTTPStatus.NOT_FOUND, {"error": "there is no such page"})
            return
        try:
            self._answer(HTTPStatus.OK, self._done(path.removeprefix(API), asked))
        except Refused as reason:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": reason.at(None).message})
        except Failure as failure:
            message = failure.problems[0].message
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": message})
        except Busy:
            busy = {"error": "the server has too much to do: try again in a moment"}
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, busy)
        except Cancelled:
            self.close_connection = True
        except OSError:
            raise  # the client has gone
        except Exception as defect:
            message = f"a defect in nasm, not in your program: {type(defect).__name__}: {defect}"
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": message})

    def _asked(self) -> dict[str, Any]:
        """What the request says; raises ValueError."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit() or int(size) > LARGEST_REQUEST:
            raise ValueError(f"a request has a length of at most {LARGEST_REQUEST:,} bytes")
        if self.headers.get_content_type() != "application/json":
            raise ValueError("a request is of the type application/json")
        try:
            asked = json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError):
            raise ValueError("a request is JSON") from None
        if not isinstance(asked, dict):
            raise ValueError("a request is an object of JSON")
        return asked

    def _known(self) -> bool:
        wanted = self.server.serving.token
        given = self.headers.get("Authorization", "")
        return not wanted or hmac.compare_digest(given.encode(), f"Bearer {wanted}".encode())

    def _done(self, what: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question; raises Refused, Failure, Busy and Cancelled."""
        serving, exercises = self.server.serving, self.server.serving.workers.exercises
        if what == "run":
            return serving.workers.run(asked, self._gone)
        if what == "about":
            folder = serving.folder
            named = {"names": folder.names(), "read_only": folder.read_only} if folder else None
            return {"nasm": __version__, "folder": named, **exercises.listed()}
        if what == "exercise":
            return exercises.exercise(asked)
        if what == "judge":
            return serving.workers.judge(asked)
        if what in ("read", "write") and serving.folder is not None:
            do: Callable[[dict[str, Any]], dict[str, Any]] = getattr(serving.folder, what)
            return do(asked)
        return serving.workers.answer(what, asked)

    def _gone(self) -> bool:
        """Whether the client no longer waits for an answer: its end of the connection is closed."""
        ready, _, _ = select.select([self.connection], [], [], 0)
        if not ready:
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _answer(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in self.HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    HEADERS: ClassVar[dict[str, str]] = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; connect-src 'self'; img-src 'self' data:; "
        f"script-src 'self' {sources().script}; style-src 'self' 'unsafe-inline'; "
        "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a classroom would fill the terminal."""
