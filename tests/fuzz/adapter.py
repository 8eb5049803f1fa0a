"""The debug adapter's wire: requests in any order, cut, doubled, damaged, and an end anywhere.

The adapter runs in this process on streams in memory. It must end, and what it has sent must be
whole messages of the protocol: one response to a request at most, no defect, and events that are
JSON.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from nasm.apps.cli.verbs.dap import session
from nasm.apps.dap.server import serve
from nasm.apps.dap.state import HANDLERS
from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from tests.fuzz import corpus
from tests.fuzz.finding import Found
from tests.fuzz.mutations import NUMBERS, mutated

PROGRAMS = ("countdown", "matmul", "softmax", "pair_softmax", "histogram")
WORDS = ("t", "acc", "$s", "%r0", "max(t)", "c[0]", "A @ B", "1 +", "", "vector", "19", "x" * 300)
COMMANDS = (
    "step", "back", "run", "where", "why t[0, 0]", "info sbuf", "@vector Nop", "break 9", "undo",
    "set $s = 1", "goto end", "skip sync", "let q = 1", "print t", "moments",
)  # fmt: skip
LEAVING = ("disconnect", "terminate")


class Adapter:
    """What a client sends, as bytes."""

    name, suffix, each = "adapter", ".dap", 1
    memory, seconds = 1 << 30, 30.0

    def __init__(self) -> None:
        self.paths = [str(corpus.PROGRAMS / f"{name}.nasm") for name in PROGRAMS]
        self.requests = sorted(set(HANDLERS) - {"nasm/page", "launch", "initialize"})

    def make(self, rng: Random) -> bytes:
        """A conversation, with some of it wrong."""
        path = rng.choice(self.paths)
        launch = {"program": path, "stopOnEntry": rng.random() < 0.7, "stopAtEnd": True}
        said: list[tuple[str, Any]] = [("initialize", {"adapterID": "x"}), ("launch", launch)]
        said += [("configurationDone", {})]
        said += [self._request(rng, path) for _ in range(rng.randint(1, 20))]
        if rng.random() < 0.2:
            rng.shuffle(said)
        frames = [_frame(rng, n, *one) for n, one in enumerate(said, 1) if rng.random() < 0.97]
        data = b"".join(frames)
        if rng.random() < 0.2:
            data = data[: rng.randrange(len(data) + 1)]
        if rng.random() < 0.1 and data:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(rng.randrange(4)) + data[at + 1 :]
        return data

    def _request(self, rng: Random, path: str) -> tuple[str, Any]:
        name = rng.choice(self.requests)
        if name in LEAVING and rng.random() < 0.9:
            name = rng.choice(["next", "continue", "stepBack", "stackTrace"])
        arguments: dict[str, Any] = {
            "threadId": rng.choice([1, 2, 3, 5, 5, 9, -1]),
            "frameId": rng.choice([1, 1, 2, 0, 77]),
            "variablesReference": rng.choice([1, 2, 3, 4, 7, 0, 999]),
            "name": rng.choice(WORDS),
            "value": rng.choice(["1", "2.5", "t", "nonsense", ""]),
            "expression": rng.choice(WORDS if rng.random() < 0.5 else COMMANDS),
            "context": rng.choice(["repl", "hover", "watch", ""]),
            "source": rng.choice([{"path": path}, {"sourceReference": 1}, {}, {"path": "/x"}]),
            "line": rng.choice([1, 15, 19, 10**6]),
            "memoryReference": rng.choice(["0x100000000", "0x500000001", "zz"]),
            "instructionCount": rng.choice([0, 4, 10**9]),
            "instructionOffset": rng.choice([-3, 0, 10**9]),
            "targetId": rng.choice([1 << 32, (5 << 32) + 1, 7]),
            "text": rng.choice(COMMANDS),
            "column": rng.choice([0, 3, 99]),
            "filters": rng.choice([["hazard"], ["nan", "deadlock"], ["x"], []]),
            "breakpoints": [
                {
                    "line": rng.choice([3, 15, 19, 99]),
                    "name": rng.choice(WORDS),
                    "dataId": rng.choice(WORDS),
                    "instructionReference": rng.choice(["0x100000000", "zz"]),
                    "condition": rng.choice(["", "", "1 == 1", *WORDS]),
                    "hitCondition": rng.choice(["", "", "2", "% 3", "x"]),
                    "logMessage": rng.choice(["", "", "at {t} {1 +}"]),
                }
                for _ in range(rng.randrange(3))
            ],
        }
        for key in rng.sample(sorted(arguments), rng.choice([0, 0, 1, 2])):
            arguments[key] = rng.choice([None, 7, "x", [], {}, [7], 1.5, True])
        return name, arguments

    def check(self, data: bytes) -> None:
        """Serve it; judge the end, and what was sent."""
        out = io.BytesIO()
        code = serve(lambda words, _: session(words, False), (io.BytesIO(data), out))
        if code != 0:
            raise Found("exception", f"exit code {code!r}")
        sent = list(_messages(out.getvalue()))
        for message in sent:
            if "a defect in nasm" in json.dumps(message) or "defect in nasm:" in str(message):
                raise Found("exception", "a defect", repr(message))
        answered = Counter(m["request_seq"] for m in sent if m["type"] == "response")
        for number, count in answered.items():
            if number and count > max(1, data.count(b'"seq": %d,' % number)):
                raise Found("json", "a request with several responses", repr(sent))

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Frames, more or less."""
        first, *rest = data.split(b"Content-Length")
        yield [first, *(b"Content-Length" + frame for frame in rest)]


def _messages(out: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a stream; Found if they are none, or not numbered in their order."""
    stream, last = io.BytesIO(out), 0
    while line := stream.readline():
        size = int(line.partition(b":")[2])
        stream.readline()
        try:
            message = json.loads(stream.read(size))
            assert message["seq"] == last + 1
            assert message["type"] in ("response", "event")
            assert message["type"] == "event" or type(message["success"]) is bool
        except (ValueError, AssertionError, KeyError) as problem:
            raise Found("json", f"no message: {problem}", repr(out)) from None
        last += 1
        yield message


def _frame(rng: Random, number: int, command: str, arguments: object) -> bytes:
    """A request as it is sent, or nearly so."""
    message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
    body = json.dumps(message).encode()
    if rng.random() < 0.03:
        body = mutated(rng, body.decode(), [body.decode()]).encode("utf-8", "replace")
    size = str(len(body))
    if rng.random() < 0.03:
        size = rng.choice([*NUMBERS, str(len(body) - 1), "99999999999999999999"])
    return f"Content-Length: {size}\r\n\r\n".encode() + body
