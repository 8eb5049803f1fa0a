"""How a session with an editor ends, whatever the editor sends."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from nasm.apps.lsp.analysis import AssemblySettings
from nasm.apps.lsp.server import serve
from nasm.apps.wire import LONGEST, Input


def frame(method: str, number: int | None = None, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params or None}
    body = json.dumps(message if number is None else {**message, "id": number}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


BEGIN = frame("initialize", 0, processId=None, rootUri=None, capabilities={})
SHUTDOWN, EXIT = frame("shutdown", 1), frame("exit")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (BEGIN + SHUTDOWN + EXIT, 0),
        (BEGIN + EXIT, 1),
        (BEGIN + SHUTDOWN, 0),
        (EXIT, 1),
        (b"", 1),
        (BEGIN[:30], 1),
        (BEGIN[:-1], 1),
        (b"Content-Length: 99999999999999999999\r\n\r\n{}", 1),
    ],
    ids=["in order", "no shutdown", "no exit", "only exit", "nothing", "header", "body", "huge"],
)
def test_a_session_ends_with_the_exit_code_of_the_protocol(sent: bytes, code: int) -> None:
    out = io.BytesIO()
    assert serve(AssemblySettings(), streams=(io.BytesIO(sent), out)) == code
    assert not out.closed  # it belongs to whoever opened it


def test_a_message_that_is_too_long_is_the_end() -> None:
    stream = io.BytesIO(b"x" * 10)
    assert Input(stream).read(LONGEST + 1) == b""
    assert Input(stream).read(11) == b""
    assert Input(io.BytesIO(b"x" * 10)).read(10) == b"x" * 10
    assert Input(io.BytesIO(b"x" * 10_000 + b"\n")).readline() == b""
