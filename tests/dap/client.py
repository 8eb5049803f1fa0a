"""A client of the Debug Adapter Protocol, written from its specification; it knows nothing of nasm.

It talks to a pair of streams: what it sends is framed JSON, and what comes is sorted into the
responses to its requests and the events in their order.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import threading
from collections.abc import Callable
from typing import IO, Any

Message = dict[str, Any]

PATIENCE = 60.0
"""Seconds after which a message that does not come is missed."""


class Unanswered(AssertionError):
    """Something did not come, or was refused."""


class Client:
    """One client. ``log`` has every message, with who sent it."""

    def __init__(self, given: IO[bytes], sent: IO[bytes]) -> None:
        self._given, self._sent = given, sent
        self._numbers = itertools.count(1)
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.log: list[tuple[str, Message]] = []
        self.events: list[Message] = []
        self._responses: dict[int, Message] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def leave(self) -> None:
        """Close both streams."""
        for stream in (self._sent, self._given):
            with contextlib.suppress(OSError):
                stream.close()
            self._reader.join(PATIENCE)

    def _read(self) -> None:
        try:
            while True:
                size = 0
                while (line := self._given.readline()).strip():
                    name, _, value = line.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                if not line:
                    break
                self._messages.put(json.loads(self._given.read(size)))
        except (OSError, ValueError):
            pass
        self._messages.put(None)

    def post(self, data: bytes) -> None:
        """Send bytes as they are; an adapter that is gone is missed when its answer is."""
        with contextlib.suppress(BrokenPipeError):
            self._sent.write(data)
            self._sent.flush()

    def send(self, command: str, arguments: object = None) -> int:
        """Send a request; returns its number."""
        number = next(self._numbers)
        message = {"seq": number, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.log.append(("client", message))
        body = json.dumps(message).encode()
        self.post(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return number

    def response(self, number: int) -> Message:
        """The response to a request."""
        while number not in self._responses:
            self._take()
        return self._responses.pop(number)

    def __call__(self, command: str, **arguments: Any) -> Any:
        """The body of the response to a request, which has to succeed."""
        found = self.response(self.send(command, arguments))
        if not found["success"]:
            raise Unanswered(f"{command}: {found['message']}")
        return found.get("body")

    def refused(self, command: str, arguments: object = None) -> str:
        """Why a request is refused."""
        found = self.response(self.send(command, arguments))
        assert not found["success"], found
        return str(found["message"])

    def event(self, name: str, fits: Callable[[Message], bool] = lambda body: True) -> Any:
        """The body of the next event of a name; those before it are kept."""
        while True:
            for at, found in enumerate(self.events):
                if found["event"] == name and fits(found.get("body", {})):
                    del self.events[at]
                    return found.get("body")
            self._take()

    def _take(self) -> None:
        try:
            message = self._messages.get(timeout=PATIENCE)
        except queue.Empty:
            raise Unanswered(f"nothing comes; the last: {self.log[-3:]}") from None
        if message is None:
            raise Unanswered(f"the adapter is gone; the last: {self.log[-3:]}")
        self.log.append(("adapter", message))
        if message["type"] == "event":
            self.events.append(message)
        else:
            self._responses[message["request_seq"]] = message

    # -- what clients do again and again

    def launch(self, program: object, lines: Any = (), **more: Any) -> None:
        """Initialise, launch, set breakpoints on lines, and let it begin."""
        self("initialize", adapterID="nasm", linesStartAt1=True, supportsInvalidatedEvent=True)
        self("launch", program=str(program), **more)
        self.event("initialized")
        if lines:
            rows = [{"line": line} for line in lines]
            self("setBreakpoints", source={"path": str(program)}, breakpoints=rows)
        self("setExceptionBreakpoints", filters=["hazard", "deadlock", "fault", "expectation"])
        self("configurationDone")

    def stop(self) -> Any:
        """The next stop."""
        return self.event("stopped")

    def output(self) -> str:
        """All output that has come so far."""
        return "".join(
            found["body"]["output"] for found in self.events if found["event"] == "output"
        )

    def top(self, thread: int) -> Any:
        """The first frame of a thread."""
        return self("stackTrace", threadId=thread)["stackFrames"][0]

    def scope(self, frame: int, name: str) -> dict[str, Any]:
        """The variables of a scope by name; an empty name is that of the engine."""
        scopes = self("scopes", frameId=frame)["scopes"]
        found = next(s for s in scopes if s["name"] == name) if name else scopes[0]
        return self.inside(found["variablesReference"])

    def inside(self, reference: int) -> dict[str, Any]:
        """What is in a variable, by name."""
        found = self("variables", variablesReference=reference)["variables"]
        return {one["name"]: one for one in found}
