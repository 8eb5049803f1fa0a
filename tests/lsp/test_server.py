"""The server over standard input and output, driven by a client of its protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nasm.apps.lsp.analysis import AssemblySettings, analyse
from tests.lsp.texts import TEXT, place

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from nasm.apps.lsp import server

pytestmark = pytest.mark.turns(6)

Published = "asyncio.Queue[lsp.PublishDiagnosticsParams]"


class Client:
    """An editor with one text."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.client = LanguageClient("test", "1")
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    @property
    def document(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    async def start(self, *options: str) -> lsp.InitializeResult:
        await self.client.start_io(sys.executable, "-m", "nasm", "lsp", *options)
        made = await self.client.initialize_async(
            lsp.InitializeParams(lsp.ClientCapabilities(), process_id=None, root_uri=None)
        )
        self.client.initialized(lsp.InitializedParams())
        return made

    def opened(self, text: str) -> None:
        item = lsp.TextDocumentItem(self.uri, "neuron-nasm", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def typed(self, version: int, at: lsp.Position, text: str) -> None:
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(at, at), text=text)
        document = lsp.VersionedTextDocumentIdentifier(version, self.uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()
        assert self.client._server is not None
        assert self.client._server.returncode == 0


def driven(
    path: Path, test: Callable[[Client, lsp.InitializeResult], Awaitable[None]], *options: str
) -> None:
    async def drive() -> None:
        client = Client(path.as_uri())
        capabilities = await client.start(*options)
        try:
            await asyncio.wait_for(test(client, capabilities), 60)
        finally:
            await client.stop()

    asyncio.run(drive())


def at(line: int, word: str, inside: int = 0) -> lsp.Position:
    return lsp.Position(*place(TEXT, line, word, 0, inside))


def test_a_session_of_an_editor(tmp_path: Path) -> None:
    async def session(client: Client, _: lsp.InitializeResult) -> None:
        server, document = client.client, client.document
        client.opened(TEXT)
        first = await client.published.get()
        assert not [d for d in first.diagnostics if d.severity == lsp.DiagnosticSeverity.Error]
        hover = await server.text_document_hover_async(lsp.HoverParams(document, at(8, "acc")))
        assert hover is not None
        assert "float32[128, 512]" in hover.contents.value
        found = await server.text_document_definition_async(
            lsp.DefinitionParams(document, at(11, "x"))
        )
        assert [f.range.start.line for f in found] == [2]
        found = await server.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), document, at(11, "x"))
        )
        assert [f.range.start.line for f in found] == [2, 10]
        edit = await server.text_document_rename_async(
            lsp.RenameParams(document, at(3, "x"), "input_x")
        )
        assert [e.new_text for e in edit.changes[client.uri]] == ["input_x"] * 2
        with pytest.raises(JsonRpcException, match="'y' is taken"):
            await server.text_document_rename_async(lsp.RenameParams(document, at(3, "x"), "y"))
        symbols = await server.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(document)
        )
        assert "acc" in [s.name for s in symbols]
        span = lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0))
        hints = await server.text_document_inlay_hint_async(lsp.InlayHintParams(document, span))
        assert {h.position.line for h in hints} >= {11, 15}
        tokens = await server.text_document_semantic_tokens_full_async(
            lsp.SemanticTokensParams(document)
        )
        assert len(tokens.data) % 5 == 0
        assert tokens.data
        end = lsp.Position(TEXT.count("\n"), 0)
        client.typed(2, end, "@vector Memset nothing, 0\n@vector Memse")
        second = await client.published.get()
        assert second.version == 2
        assert "E0201" in [d.code for d in second.diagnostics]
        after = lsp.Position(end.line + 1, len("@vector Memse"))
        offered = await server.text_document_completion_async(lsp.CompletionParams(document, after))
        assert offered.items[0].label == "Memset"
        assert offered.items[0].text_edit.range.start.character == len("@vector ")

    driven(tmp_path / "a.nasm", session)


def test_a_text_that_makes_no_sense_leaves_it_alive(tmp_path: Path) -> None:
    async def session(client: Client, made: lsp.InitializeResult) -> None:
        assert made.capabilities.inlay_hint_provider is None
        client.opened("{}} @export .macro $ \U0001f600 (\x00\n.target nowhere\n.sbuf")
        assert (await client.published.get()).diagnostics
        everywhere = lsp.HoverParams(client.document, lsp.Position(1, 99))
        assert await client.client.text_document_hover_async(everywhere) is None

    driven(tmp_path / "b.nasm", session, "--no-cycles")


def _message(method: str, number: int | None = None) -> bytes:
    told = {"jsonrpc": "2.0", "method": method} | ({} if number is None else {"id": number})
    body = json.dumps(told).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_an_end_without_shutdown_is_exit_code_1_without_a_word() -> None:
    given = [sys.executable, "-m", "nasm", "lsp"]
    done = subprocess.run(given, input=_message("exit"), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_a_text_that_takes_too_long_leaves_what_was_said_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = server.made(AssemblySettings())
    told: list[str] = []
    monkeypatch.setattr(made, "publish", told.append)
    monkeypatch.setattr(made, "window_log_message", lambda params: told.append(params.message))
    late = replace(analyse(TEXT), late=True)
    monkeypatch.setattr(made, "current", lambda uri: late)
    made.published["file:///a"] = before = []
    asyncio.run(made._looked("file:///a"))
    assert told == [server.LATE]
    assert made.published["file:///a"] is before


def test_without_its_package_it_says_what_to_install(tmp_path: Path) -> None:
    # A package of that name that cannot be found: as if it were not installed.
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'pygls' else find(name, *more)\n"
        "from nasm.apps.cli import main; sys.exit(main(['lsp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert "error[E0850]: 'lsp' needs pygls, which is not installed" in done.stderr
    assert "hint: pip install 'neuron-nasm[lsp]'" in done.stderr


def test_a_quick_fix_is_an_edit_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "race.nasm"
    lines = (
        ".target trn2",
        ".hbm X f32[128, 16] input = iota",
        ".sbuf t f32[128, 16]",
        ".sbuf u f32[128, 16]",
        "@sync DmaCopy t, X  post load",
        "@vector TensorCopy u, t",
        "@sync .drain",
    )

    async def test(client: Client, capabilities: lsp.InitializeResult) -> None:
        assert capabilities.capabilities.code_action_provider
        client.opened("\n".join(lines) + "\n")
        told = await client.published.get()
        (race,) = [d for d in told.diagnostics if d.code == "E0502"]
        context = lsp.CodeActionContext([race])
        params = lsp.CodeActionParams(client.document, race.range, context)
        (action,) = await client.client.text_document_code_action_async(params) or []
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None
        (edit,) = (action.edit.changes or {})[client.uri]
        assert edit.new_text == "  after load"
        assert edit.range.start == lsp.Position(5, len(lines[5]))

    driven(path, test)
