"""The language server: what the protocol asks, answered by the modules of this folder.

Texts are analysed again when there was no edit for a moment. A defect in an answer costs that
answer only.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from nasm import __version__
from nasm.apps import wire
from nasm.apps.lsp import completion, diagnostics, formatting, hover, navigation, outline
from nasm.apps.lsp.analysis import SECONDS, Analysis, AssemblySettings, analyse, followed
from nasm.apps.lsp.positions import Position, Range, Spot
from nasm.base.problems import Refused
from nasm.base.records import replace

PAUSE = 0.25
"""Seconds without typing before a text is looked at."""

LANGUAGE = "neuron-nasm"
REFUSED = -32803
"""The protocol's code of a request that is right and cannot be done."""

LATE = (
    f"a text takes more than {SECONDS:g} s of processor time to assemble: what is shown is of an "
    "earlier state; 'neuron-nasm check' takes its time"
)
"""What the editor's log says of a text that takes too long."""

T = TypeVar("T")

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    "tensor": lsp.SymbolKind.Array,
    "array": lsp.SymbolKind.Array,
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

    def __init__(self, settings: AssemblySettings, cycles: bool) -> None:
        super().__init__(LANGUAGE, __version__)
        self.settings, self.cycles = settings, cycles
        self.ready_to_end = False
        self.known: dict[str, tuple[int | None, Analysis]] = {}
        self.pending: dict[str, asyncio.Task[None]] = {}
        self.published: dict[str, list[lsp.Diagnostic]] = {}
        self.inside: dict[str, dict[str, list[lsp.Diagnostic]]] = {}
        self.fixes: dict[str, tuple[Analysis, list[diagnostics.Fix]]] = {}

    def latest(self, uri: str) -> Analysis:
        """What is known of a text, if only of an earlier state of it."""
        return self.known[uri][1] if uri in self.known else self.current(uri)

    def current(self, uri: str) -> Analysis:
        """What there is to know of a text as it is now."""
        document = self.workspace.get_text_document(uri)
        version, analysis = self.known.get(uri, (None, None))
        if analysis is None or version is None or version != document.version:
            name = uris.to_fs_path(uri) or uri
            analysis = analyse(document.source, name, self._with_open(uri), analysis)
            self.known[uri] = document.version, analysis
        return analysis

    def _with_open(self, uri: str) -> AssemblySettings:
        """The settings, with other open texts as they are now in the place of their files."""
        texts = {
            os.path.normpath(path): document.source.encode("utf-8", "replace")
            for other, document in self.workspace.text_documents.items()
            if other != uri and (path := uris.to_fs_path(other))
        }
        return replace(self.settings, files=self.settings.files.holding(texts))

    def around(self, uri: str) -> list[tuple[str, Analysis, str]]:
        """A text by itself, and where it is included by others that are open.

        Of each the URI, what is known of it, and what the text is called there: nothing if it is
        that one.
        """
        path = uris.to_fs_path(uri)
        found = [(uri, self.current(uri), "")]
        for other in list(self.workspace.text_documents):
            if other != uri and path:
                analysis = self.current(other)
                file = next((f for f in analysis.index.included if _same(f, path)), None)
                if file is not None:
                    found.append((other, analysis, file))
        return found

    def includers(self, uri: str) -> list[str]:
        """The texts that are open and include another, as they were looked at last."""
        path = uris.to_fs_path(uri)
        return [
            other
            for other, (_, analysis) in self.known.items()
            if other != uri and path and any(_same(f, path) for f in analysis.index.included)
        ]

    def look(self, uri: str) -> None:
        """Analyse a text once there was no edit for a moment."""
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
        if analysis.late:  # its last diagnostics stay
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, LATE))
            return
        problems = followed(analysis)
        found = diagnostics.diagnostics(analysis, problems)
        self.published[uri] = [_diagnostic(uri, each) for each in found]
        self.fixes[uri] = analysis, diagnostics.fixes(analysis, problems)
        before = self.inside.get(uri, {})
        self.inside[uri] = {
            (other := _uri(file)): [_diagnostic(other, each) for each in several]
            for file, several in diagnostics.included(analysis, problems).items()
        }
        self.publish(uri)
        for other in dict.fromkeys((*before, *self.inside[uri])):
            self.publish(other)

    def publish(self, uri: str) -> None:
        """Publish the diagnostics of a text: by itself, and as included by other open texts."""
        text = list(self.published.get(uri, ()))
        for inside in self.inside.values():
            text += (each for each in inside.get(uri, ()) if not _is_published(each, text))
        document = self.workspace.text_documents.get(uri)
        version = document.version if document is not None else None
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, text, version))

    def changed(self, uri: str) -> None:
        """A text is another: look at it, and at those that include it."""
        for other in self.includers(uri):
            self.known[other] = None, self.known[other][1]
            self.look(other)
        self.look(uri)

    def closed(self, uri: str) -> None:
        """Forget a text; those that include it have its file again."""
        self.drop(uri)
        self.known.pop(uri, None)
        self.published.pop(uri, None)
        self.fixes.pop(uri, None)
        inside = self.inside.pop(uri, {})
        for other in (uri, *inside):
            self.publish(other)
        for other in self.includers(uri):
            self.known[other] = None, self.known[other][1]
            self.look(other)


def serve(
    settings: AssemblySettings,
    cycles: bool = True,
    streams: tuple[IO[bytes], IO[bytes]] | None = None,
) -> int:
    """Answer an editor on standard input and output until it says that it is done, or is gone.

    Returns the exit code of the protocol: 0 if it said so in order, 1 otherwise.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # standard error is the editor's log
    server = made(settings, cycles)
    server.start_io(*wire.streams(*(streams or (sys.stdin.buffer, sys.stdout.buffer))))
    return 0 if server.ready_to_end else 1


def made(settings: AssemblySettings, cycles: bool = True) -> Server:
    """A server with all that it answers; ``cycles`` says whether it offers those of lines."""
    server = Server(settings, cycles)
    _ends(server)
    _texts(server)
    _words(server)
    _names(server)
    _fixes(server)
    _lists(server)
    return server


def _ends(server: Server) -> None:
    @server.feature(lsp.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.ready_to_end = True
        for uri in list(server.pending):
            server.drop(uri)


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


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
        found = _list_of(lambda: completion.completions(server.latest(uri), text))
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
        return lsp.SemanticTokens(_list_of(lambda: outline.tokens(analysis)))


def _names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> list[lsp.Location]:
        place = _place(params.position)
        return _located(
            server, params.text_document.uri, lambda a, file: navigation.definition(a, place, file)
        )

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        place, declared = _place(params.position), params.context.include_declaration
        return _located(
            server,
            params.text_document.uri,
            lambda a, file: navigation.references(a, place, declared, file),
        )

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        place = _place(params.position)
        found = [
            _refusing(partial(navigation.span_of, analysis, place, file))
            for _, analysis, file in _naming(server, params.text_document.uri, place)
        ]
        where, name = found[0]
        return lsp.PrepareRenamePlaceholder(_range(where), name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        place, name = _place(params.position), params.new_name
        edits: dict[str, dict[Spot, str]] = {}
        for uri, analysis, file in _naming(server, params.text_document.uri, place):
            rename = partial(navigation.renamed, analysis, place, name, file)
            for spot, text in _refusing(rename):
                there = _uri(spot.file) if spot.file else uri
                edits.setdefault(there, {})[spot._replace(file="")] = text
        return lsp.WorkspaceEdit(
            {
                uri: [lsp.TextEdit(_range(spot.range), text) for spot, text in several.items()]
                for uri, several in edits.items()
            }
        )


def _naming(server: Server, uri: str, place: Position) -> list[tuple[str, Analysis, str]]:
    """The texts in which a name of one of them means something: at least that one."""
    every = server.around(uri)
    return [one for one in every if navigation.named(one[1], place, one[2])] or every[:1]


def _located(
    server: Server, uri: str, find: Callable[[Analysis, str], list[Spot]]
) -> list[lsp.Location]:
    """Places in a text, in what it includes, and in the texts that are open and include it."""
    found: dict[tuple[str, Range], None] = {}
    for other, analysis, file in server.around(uri):
        for spot in _list_of(partial(find, analysis, file)):
            found[_uri(spot.file) if spot.file else other, spot.range] = None
    return [lsp.Location(there, _range(where)) for there, where in found]


def _fixes(server: Server) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix])
    )
    def code_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        analysis, found = server.fixes.get(uri, (None, []))
        if analysis is None or analysis is not server.current(uri):
            return []  # of another state of the text: it will be looked at
        published = server.published.get(uri, [])
        return [
            lsp.CodeAction(
                fix.title,
                lsp.CodeActionKind.QuickFix,
                [d for d in published if (d.range, d.code) == (_range(fix.range), fix.code)],
                edit=lsp.WorkspaceEdit({uri: [_insertion(*one) for one in fix.insertions]}),
            )
            for fix in found
            if fix.range.start.line <= params.range.end.line
            and params.range.start.line <= fix.range.end.line
        ]


def _insertion(at: Position, text: str) -> lsp.TextEdit:
    return lsp.TextEdit(_range(Range(at, at)), text)


def _lists(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def listed(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        analysis = server.current(params.text_document.uri)
        return [
            lsp.DocumentSymbol(
                e.name, _KINDS[e.kind], _range(e.line), _range(e.range), detail=e.kind
            )
            for e in _list_of(lambda: outline.entries(analysis))
        ]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        analysis = server.current(params.text_document.uri)
        found = _list_of(lambda: formatting.tidied(analysis))
        return [lsp.TextEdit(_range(where), text) for where, text in found]

    if not server.cycles:
        return

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        analysis = server.current(params.text_document.uri)
        first, last = params.range.start.line, params.range.end.line
        return [
            lsp.InlayHint(_position(h.position), h.text, tooltip=h.more, padding_left=True)
            for h in _list_of(lambda: outline.cycles(analysis, first, last))
        ]


def _one(answer: Callable[[], T | None]) -> T | None:
    """An answer, or none where there is a defect of ours, which goes to the log."""
    try:
        return answer()
    except Exception:
        logging.getLogger(LANGUAGE).exception("a defect in nasm, not in your program")
        return None


def _list_of(answer: Callable[[], list[T]]) -> list[T]:
    """The same of what there may be several of."""
    return _one(answer) or []


def _refusing(answer: Callable[[], T]) -> T:
    """An answer; what is refused is reported as the protocol has it."""
    try:
        return answer()
    except Refused as refused:
        text = refused.message + (f" ({refused.hint})" if refused.hint else "")
        raise JsonRpcException(text, code=REFUSED) from None


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


def _is_published(one: lsp.Diagnostic, others: list[lsp.Diagnostic]) -> bool:
    """Whether the same diagnostic is there already, regardless of its notes."""
    key = one.range, one.code, one.message
    return any((o.range, o.code, o.message) == key for o in others)


def _same(file: str, path: str) -> bool:
    """Whether two names are those of one file."""
    return file == path or os.path.realpath(file) == os.path.realpath(path)


def _uri(file: str) -> str:
    return uris.from_fs_path(str(Path(file).absolute())) or file
