"""Messages of the protocol: JSON in frames, and the arguments of requests, which are checked."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import IO, Any

from nasm.apps.wire import LONGEST, Input
from nasm.base import host_files
from nasm.base.problems import Failure, Refused, clean, quoted

WRONG = "E0822"

_HEADERS = (b"content-length", b"content-type")
"""Fields of a header. Anything else is no message: what a web page sends to a port, say."""

_KINDS = {int: "a number", str: "a text", bool: "true or false", list: "a list", dict: "an object"}


class Disconnected(Exception):
    """The client is gone, or sends what is no message."""


class StandardInput:
    """Standard input, which one thread may wait for while the process ends: it holds no lock."""

    def __init__(self) -> None:
        self._held = b""

    def _more(self) -> bool:
        read = host_files.some(0, 1 << 16)
        self._held += read
        return bool(read)

    def readline(self, most: int) -> bytes:
        """A line, or a part of one that is longer than this, or what is left at the end."""
        while b"\n" not in self._held[:most] and len(self._held) < most and self._more():
            pass
        end = self._held.find(b"\n", 0, most) + 1 or min(most, len(self._held))
        line, self._held = self._held[:end], self._held[end:]
        return line

    def read(self, size: int) -> bytes:
        """So many bytes; fewer at the end."""
        parts, held = [self._held], len(self._held)
        while held < size and (read := host_files.some(0, min(1 << 20, size - held))):
            parts.append(read)
            held += len(read)
        whole = b"".join(parts)
        self._held = whole[size:]
        return whole[:size]


class Channel:
    """Messages from a client and to it; any thread may send."""

    def __init__(self, given: IO[bytes] | StandardInput, sent: IO[bytes]) -> None:
        self._given, self._sent = Input(given), sent
        self._lock, self._last = threading.Lock(), 0

    def read(self) -> object:
        """The next message, which may be anything that JSON can be; raises Disconnected.

        None is one that is no JSON.
        """
        try:
            body = self._given.read(self._size())
        except (OSError, ValueError):
            raise Disconnected from None
        if not body:
            raise Disconnected
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    def _size(self) -> int:
        """How long the body of the next message is."""
        size = -1
        while line := self._given.readline():
            if not line.strip():
                break
            name, colon, value = line.partition(b":")
            if not colon or name.strip().lower() not in _HEADERS:
                raise Disconnected
            if name.strip().lower() == _HEADERS[0]:
                size = int(value) if value.strip().isdigit() and len(value) < 20 else -1
        if not 0 < size <= LONGEST:
            raise Disconnected
        return size

    def send(self, kind: str, **content: object) -> None:
        """Send a message; nothing if the client is gone."""
        with self._lock:
            self._last += 1
            message = {"seq": self._last, "type": kind, **content}
            body = json.dumps(message, allow_nan=False).encode("ascii")
            try:
                self._sent.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self._sent.flush()
            except (OSError, ValueError):
                return

    def event(self, name: str, **body: object) -> None:
        """Send an event."""
        self.send("event", event=name, body=body)

    def output(self, text: str, category: str = "console", **more: object) -> None:
        """Send text for the client's console."""
        if text:
            self.event("output", category=category, output=clean(text) + "\n", **more)


class RequestArguments:
    """What a request says; asking for what is not there, or of another kind, raises Refused."""

    def __init__(self, value: object) -> None:
        self.value: Mapping[str, Any] = value if isinstance(value, dict) else {}

    def get(self, name: str, kind: type, default: object = ...) -> Any:
        """A value by its name."""
        found = self.value.get(name)
        if found is None:
            if default is ...:
                raise Refused(WRONG, f"the request lacks '{name}'")
            return default
        return _checked(found, kind, name)

    def list_of(self, name: str, kind: type) -> list[Any]:
        """The items of a list; none if it is not there."""
        return [_checked(item, kind, name) for item in self.get(name, list, ())]

    def rows(self, name: str) -> list[RequestArguments]:
        """The objects of a list."""
        return [RequestArguments(item) for item in self.list_of(name, dict)]

    def part(self, name: str) -> RequestArguments:
        """An object within; empty if it is not there."""
        return RequestArguments(self.get(name, dict, {}))


def _checked(found: object, kind: type, name: str) -> object:
    if kind is int and type(found) is float and found.is_integer():
        found = int(found)
    if type(found) is not kind:
        raise Refused(WRONG, f"'{quoted(name)}' is {_KINDS[kind]}, found {quoted(repr(found))}")
    if kind is int and not -(1 << 53) <= found <= 1 << 53:  # type: ignore[operator]
        raise Refused(WRONG, f"'{quoted(name)}' is a number below 2**53, found {found}")
    return found


def sentence(error: Failure | Refused) -> str:
    """An error as a client shows it: its message, with its place and hint."""
    problem = error.problems[0]
    where = f"{problem.span}: " if problem.span is not None and problem.span.source.name else ""
    more = f" ({len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    return clean(f"{where}{problem.message}{more}{hint}")
