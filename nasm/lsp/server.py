"""The language server: what the protocol asks, answered by the functions beside it.

Texts are looked at again when nobody has typed for a moment. A defect in an answer costs that
answer only.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from nasm import __version__
from nasm.lsp import completing, diagnostics, hover, navigation, outline, tidying
from nasm.lsp.analysis import Analysis, Settings, analyse, followed
from nasm.lsp.positions import Position, Range
from nasm.problems import Refused

PAUSE = 0.25
"""Seconds without typing before a text is looked at."""

LANGUAGE = "neuron-nasm"
REFUSED = -32803
"""The protocol's code of a request that is right and cannot be done."""

T = TypeVar("T")

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    "tensor": lsp.SymbolKind.Array,
    "view": lsp.SymbolKind.Array,
    "constant": lsp.SymbolKind.Constant,
    "variable": lsp.SymbolKind.Variable,
    "parameter": lsp.SymbolKind.Variable,
    "semaphore": lsp.SymbolKind.Event,
    "event": lsp.SymbolKind.Event,
    "moment": lsp.SymbolKind.Event,
    "transfer": lsp.SymbolKind.Struct,
    "label": lsp.SymbolKind.Key,
    "macro": lsp.SymbolKind.Function,
}


class Server(LanguageServer):
    """Keeps what it knows of each open text."""

    def __init__(self, settings: Settings, cycles: bool) -> None:
        super().__init__(LANGUAGE, __version__)
        self.settings, self.cycles = settings, cycles
        self.known: dict[str, tuple[int | None, Analysis]] = {}
        self.pending: dict[str, asyncio.Task[None]] = {}

    def latest(self, uri: str) -> Analysis:
        """What is known of a text, if only of an earlier state of it."""
        return self.known[uri][1] if uri in self.known else self.current(uri)

    def current(self, uri: str) -> Analysis:
        """What there is to know of a text as it is now."""
        document = self.workspace.get_text_document(uri)
        version, analysis = self.known.get(uri, (None, None))
        if analysis is None or version is None or version != document.version:
            name = uris.to_fs_path(uri) or uri
            analysis = analyse(document.source, name, self.settings)
            self.known[uri] = document.version, analysis
        return analysis

    def look(self, uri: str) -> None:
        """Look at a text once nobody has typed for a moment."""
        self.drop(uri)
        self.pending[uri] = asyncio.get_running_loop().create_task(self._looked(uri))

    def drop(self, uri: str) -> None:
        """Look at a text no more, if that was still to be done."""
        task = self.pending.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _looked(self, uri: str) -> None:
        await asyncio.sleep(PAUSE if uri in self.known else 0)
        analysis = self.current(uri)
        found = diagnostics.diagnostics(analysis, followed(analysis))
        version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, [_diagnostic(uri, each) for each in found], version)
        )


def serve(settings: Settings, cycles: bool = True) -> None:
    """Answer an editor on standard input and output until it says that it is done."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # standard error is the editor's log
    made(settings, cycles).start_io()


def made(settings: Settings, cycles: bool = True) -> Server:
    """A server with all that it answers; ``cycles`` says whether it offers those of lines."""
    server = Server(settings, cycles)
    _texts(server)
    _words(server)
    _names(server)
    _lists(server)
    return server


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.look(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.look(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.drop(uri)
        server.known.pop(uri, None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _words(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        analysis = server.current(params.text_document.uri)
        found = _one(lambda: hover.hover(analysis, _place(params.position)))
        if found is None:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found[0]), _range(found[1]))

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=[".", "@", "$", " ", "="]),
    )
    def completed(params: lsp.CompletionParams) -> lsp.CompletionList:
        uri, at = params.text_document.uri, params.position
        lines = server.workspace.get_text_document(uri).lines
        line = lines[at.line].rstrip("\r\n") if at.line < len(lines) else ""
        before = line.encode("utf-16-le", "surrogatepass")[: 2 * at.character]
        text = before.decode("utf-16-le", "replace")
        found = _several(lambda: completing.completions(server.latest(uri), text))
        return lsp.CompletionList(
            False,
            [
                lsp.CompletionItem(
                    word.text,
                    detail=word.meta or None,
                    sort_text=f"{number:05}",
                    filter_text=word.text,
                    text_edit=lsp.TextEdit(
                        lsp.Range(lsp.Position(at.line, max(0, at.character - word.length)), at),
                        word.text,
                    ),
                )
                for number, word in enumerate(found)
            ],
        )

    @server.feature(
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensLegend(list(outline.LEGEND), [])
    )
    def coloured(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        analysis = server.current(params.text_document.uri)
        return lsp.SemanticTokens(_several(lambda: outline.tokens(analysis)))


def _names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> list[lsp.Location]:
        uri = params.text_document.uri
        analysis = server.current(uri)
        found = _several(lambda: navigation.definition(analysis, _place(params.position)))
        return [lsp.Location(uri, _range(each)) for each in found]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        uri, declared = params.text_document.uri, params.context.include_declaration
        analysis = server.current(uri)
        place = _place(params.position)
        found = _several(lambda: navigation.references(analysis, place, declared))
        return [lsp.Location(uri, _range(each)) for each in found]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        analysis = server.current(params.text_document.uri)
        where, name = _refusing(lambda: navigation.span_of(analysis, _place(params.position)))
        return lsp.PrepareRenamePlaceholder(_range(where), name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        uri = params.text_document.uri
        analysis, place = server.current(uri), _place(params.position)
        edits = _refusing(lambda: navigation.renamed(analysis, place, params.new_name))
        return lsp.WorkspaceEdit({uri: [lsp.TextEdit(_range(r), text) for r, text in edits]})


def _lists(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def listed(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        analysis = server.current(params.text_document.uri)
        return [
            lsp.DocumentSymbol(
                e.name, _KINDS[e.kind], _range(e.line), _range(e.range), detail=e.kind
            )
            for e in _several(lambda: outline.entries(analysis))
        ]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        analysis = server.current(params.text_document.uri)
        found = _several(lambda: tidying.tidied(analysis))
        return [lsp.TextEdit(_range(where), text) for where, text in found]

    if not server.cycles:
        return

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        analysis = server.current(params.text_document.uri)
        first, last = params.range.start.line, params.range.end.line
        return [
            lsp.InlayHint(_position(h.position), h.text, tooltip=h.more, padding_left=True)
            for h in _several(lambda: outline.cycles(analysis, first, last))
        ]


def _one(answer: Callable[[], T | None]) -> T | None:
    """An answer, or none where there is a defect of ours, which goes to the log."""
    try:
        return answer()
    except Exception:
        logging.getLogger(LANGUAGE).exception("a defect in nasm, not in your program")
        return None


def _several(answer: Callable[[], list[T]]) -> list[T]:
    """The same of what there may be several of."""
    return _one(answer) or []


def _refusing(answer: Callable[[], T]) -> T:
    """An answer; what is refused is told as the protocol has it."""
    try:
        return answer()
    except Refused as refused:
        said = refused.message + (f" ({refused.hint})" if refused.hint else "")
        raise JsonRpcException(said, code=REFUSED) from None


# -- to the protocol and back


def _place(position: lsp.Position) -> Position:
    return Position(position.line, position.character)


def _position(position: Position) -> lsp.Position:
    return lsp.Position(position.line, position.character)


def _range(found: Range) -> lsp.Range:
    return lsp.Range(_position(found.start), _position(found.end))


def _diagnostic(uri: str, found: diagnostics.Diagnostic) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        _range(found.range),
        found.message,
        _SEVERITIES[found.severity],
        found.code,
        source=LANGUAGE,
        related_information=[
            lsp.DiagnosticRelatedInformation(
                lsp.Location(_uri(related.file) if related.file else uri, _range(related.range)),
                related.message,
            )
            for related in found.related
        ],
    )


def _uri(file: str) -> str:
    return uris.from_fs_path(str(Path(file).absolute())) or file
