"""The language server's wire: messages in any order, cut, doubled, damaged, and an end anywhere.

The server runs in this process on streams in memory. It must end with an exit code of the protocol,
and what it has said must be whole messages of JSON-RPC, with one answer to a request at most.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from nasm.apps.lsp.analysis import AssemblySettings
from nasm.apps.lsp.server import serve
from tests.fuzz import corpus
from tests.fuzz.finding import Found
from tests.fuzz.mutations import NUMBERS, mutated

URI = "file:///program.nasm"
ENDS = (0, 1)
"""Exit codes of the protocol: after a shutdown, and without one."""

METHODS = (
    "hover", "completion", "semanticTokens/full", "definition", "references", "prepareRename",
    "rename", "documentSymbol", "formatting", "inlayHint", "nothing",
)  # fmt: skip


class Wire:
    """What an editor sends, as bytes."""

    name, suffix, each = "wire", ".wire", 1
    memory, seconds = 1 << 30, 20.0

    def __init__(self) -> None:
        texts = corpus.programs()
        self.texts = [text for text in texts.values() if len(text) < 1500]

    def make(self, rng: Random) -> bytes:
        """A conversation, with some of it wrong."""
        said = [_request(0, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})]
        said.append({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        said += [self._message(rng, n) for n in range(1, rng.randint(2, 9))]
        said += [_request(99, "shutdown", None), {"jsonrpc": "2.0", "method": "exit"}]
        if rng.random() < 0.3:
            rng.shuffle(said)
        frames = [_frame(rng, message) for message in said if rng.random() < 0.95]
        data = b"".join(frames)
        if rng.random() < 0.3:
            data = data[: rng.randrange(len(data) + 1)]
        if rng.random() < 0.1 and data:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(rng.randrange(4)) + data[at + 1 :]
        return data

    def _message(self, rng: Random, number: int) -> dict[str, Any]:
        text = rng.choice(self.texts)
        document = {"uri": URI, "languageId": "neuron-nasm", "version": number, "text": text}
        match rng.randrange(5):
            case 0:
                return _notice("textDocument/didOpen", {"textDocument": document})
            case 1:
                new = mutated(rng, text, self.texts)
                changes = [{"text": new}]
                if rng.random() < 0.5:
                    changes = [{"range": _range(rng), "text": new[:40]}]
                return _notice(
                    "textDocument/didChange",
                    {"textDocument": {"uri": URI, "version": number}, "contentChanges": changes},
                )
            case 2:
                return _notice("textDocument/didClose", {"textDocument": {"uri": URI}})
        params: dict[str, Any] = {
            "textDocument": {"uri": rng.choice([URI, URI, "file:///other.nasm", "", "x:"])},
            "position": _position(rng),
            "range": _range(rng),
            "context": {"includeDeclaration": True},
            "newName": rng.choice(["n", "", "1", "%r0"]),
            "options": {"tabSize": 4, "insertSpaces": True},
        }
        for name in rng.sample(sorted(params), rng.choice([0, 0, 1])):
            params[name] = rng.choice([None, 7, "x", [], {}])
        return _request(number, f"textDocument/{rng.choice(METHODS)}", params)

    def check(self, data: bytes) -> None:
        """Serve it; judge the end, and what was said."""
        out = io.BytesIO()
        code = serve(AssemblySettings(), streams=(io.BytesIO(data), out))
        if code not in ENDS:
            raise Found("exception", f"exit code {code!r}")
        said = list(_messages(out.getvalue()))
        asked = _asked(data)
        for number, count in Counter(m["id"] for m in said if "method" not in m).items():
            if number is not None and count > max(1, asked[number]):
                raise Found("json", "a request with several answers", repr(said))

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """Frames, more or less."""
        first, *rest = data.split(b"Content-Length")
        yield [first, *(b"Content-Length" + frame for frame in rest)]


def _messages(out: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a stream; Found if they are none."""
    stream = io.BytesIO(out)
    while line := stream.readline():
        size = 0
        while line.strip():
            name, _, value = line.partition(b":")
            size = int(value) if name == b"Content-Length" else size
            line = stream.readline()
        body = stream.read(size)
        try:
            message = json.loads(body)
            assert message["jsonrpc"] == "2.0"
            assert "method" in message or ("result" in message) != ("error" in message)
        except (ValueError, AssertionError, KeyError) as problem:
            raise Found("json", f"no message: {problem}", repr(out)) from None
        yield message


def _asked(data: bytes) -> Counter[object]:
    """How many requests have an id, as far as that can be told of damaged bytes."""
    found: Counter[object] = Counter()
    for part in data.split(b'"id": ')[1:]:
        head = part.split(b",")[0].split(b"}")[0]
        found[int(head) if head.isdigit() else head] += 1
    return found


def _request(number: int, method: str, params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _notice(method: str, params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _position(rng: Random) -> dict[str, Any]:
    return {"line": rng.choice([0, 3, 9, 10**6]), "character": rng.choice([0, 4, 10**6])}


def _range(rng: Random) -> dict[str, Any]:
    return {"start": _position(rng), "end": _position(rng)}


def _frame(rng: Random, message: object) -> bytes:
    """A message as it is sent, or nearly so."""
    body = json.dumps(message).encode()
    size = str(len(body))
    if rng.random() < 0.05:
        size = rng.choice([*NUMBERS, str(len(body) - 1), "99999999999999999999"])
    end = "\r\n" if rng.random() < 0.97 else "\n"
    more = "" if rng.random() < 0.9 else f"Content-Type: application/vscode-jsonrpc{end}"
    return f"Content-Length: {size}{end}{more}{end}".encode() + body
