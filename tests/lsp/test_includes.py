"""Names across files: what a text includes, and the texts that include it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from nasm.apps.lsp.analysis import Analysis, analyse
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.diagnostics import diagnostics, included
from nasm.apps.lsp.hover import hover
from nasm.apps.lsp.navigation import definition, references, renamed
from nasm.apps.lsp.outline import entries, tokens
from nasm.base.problems import Refused
from tests.lsp.texts import place

MACROS = """\
.const WIDTH = 8
.macro fill(t, n)
    @vector  Memset  t, n    post filled
.end
"""
TEXT = """\
.target trn2
.include "parts/fill.nasm"
.sbuf  t  f32[128, WIDTH]
fill(t, 1)
fill(t, 2)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "fill.nasm").write_text(MACROS)
    return tmp_path


@pytest.fixture
def main(folder: Path) -> Analysis:
    made = analyse(TEXT, str(folder / "main.nasm"))
    assert made.whole, made.problems
    return made


def spots(found: list, folder: Path) -> list[tuple[str, int]]:
    """Files and lines, from 1."""
    return [
        (str(Path(file).relative_to(folder)) if file else "", where.start.line + 1)
        for file, where in found
    ]


def test_a_macro_is_declared_in_the_file_that_is_included(main: Analysis, folder: Path) -> None:
    found = definition(main, place(TEXT, 4, "fill"))
    assert spots(found, folder) == [("parts/fill.nasm", 2)]
    found = definition(main, place(TEXT, 3, "WIDTH"))
    assert spots(found, folder) == [("parts/fill.nasm", 1)]


def test_the_name_of_a_file_leads_to_its_beginning(main: Analysis, folder: Path) -> None:
    found = definition(main, place(TEXT, 2, "fill"))
    assert spots(found, folder) == [("parts/fill.nasm", 1)]


def test_references_are_in_both_files(main: Analysis, folder: Path) -> None:
    found = references(main, place(TEXT, 4, "fill"))
    assert spots(found, folder) == [("", 4), ("", 5), ("parts/fill.nasm", 2)]
    file = str(folder / "parts" / "fill.nasm")
    there = references(main, place(MACROS, 2, "fill"), file=file)
    assert there == found


def test_a_name_is_changed_in_both_files(main: Analysis, folder: Path) -> None:
    found = renamed(main, place(TEXT, 3, "WIDTH"), "COLUMNS")
    assert spots([spot for spot, _ in found], folder) == [("", 3), ("parts/fill.nasm", 1)]
    assert {new for _, new in found} == {"COLUMNS"}


def test_a_name_that_an_included_file_has_is_taken(main: Analysis) -> None:
    with pytest.raises(Refused, match=r"taken: a constant is declared on parts/fill.nasm:1"):
        renamed(main, place(TEXT, 3, "t"), "WIDTH")


def test_a_name_of_the_library_is_not_changed() -> None:
    text = '.target trn2\n.include "lib/softmax.nasm"\n.sbuf t f32[8, 8]\nsoftmax(t, t)\n'
    analysis = analyse(text)
    (found,) = definition(analysis, place(text, 4, "softmax"))
    assert found.file.endswith("lib/softmax.nasm")
    with pytest.raises(Refused, match=r"is in lib/softmax.nasm, a file of the library"):
        renamed(analysis, place(text, 4, "softmax"), "mine")


def test_what_is_listed_and_coloured_is_the_text_alone(main: Analysis) -> None:
    assert [entry.name for entry in entries(main)] == ["t"]
    lines = sum(tokens(main)[::5])
    assert lines < TEXT.count("\n")


def test_names_of_included_files_are_completed(main: Analysis) -> None:
    assert "fill" in [s.text for s in completions(main, "fi")]
    assert "WIDTH" in [s.text for s in completions(main, ".sbuf u f32[128, W")]


def test_files_to_include_are_completed(main: Analysis) -> None:
    assert {s.text for s in completions(main, '.include "')} >= {"parts/", "lib/"}
    assert [s.text for s in completions(main, '.include "parts/')] == ["parts/fill.nasm"]
    assert "lib/softmax.nasm" in [s.text for s in completions(main, '.include "lib/so')]


def test_hover_names_the_file_and_what_it_declares(main: Analysis) -> None:
    said, _ = hover(main, place(TEXT, 3, "WIDTH")) or ("", None)
    assert said == "**WIDTH** = 8, declared on parts/fill.nasm:1"
    said, _ = hover(main, place(TEXT, 2, "fill")) or ("", None)
    assert "macro `fill`" in said


def test_what_is_wrong_in_an_included_file_is_reported_there(folder: Path) -> None:
    (folder / "parts" / "fill.nasm").write_text(MACROS.replace("Memset", "Memst"))
    analysis = analyse(TEXT, str(folder / "main.nasm"))
    (file,) = included(analysis, analysis.problems)
    assert file == str(folder / "parts" / "fill.nasm")
    (found,) = included(analysis, analysis.problems)[file]
    assert found.code == "E0201"
    assert found.range.start.line == 2
    assert [(r.file, r.range.start.line) for r in found.related] == [(str(folder / "main.nasm"), 3)]
    assert [d.range.start.line for d in diagnostics(analysis, analysis.problems)] == [3]


def test_a_moment_says_which_semaphore_counts_it() -> None:
    text = (
        ".target trn2\n.hbm A f32[8, 8] input = iota\n.sbuf t f32[8, 8]\n"
        "@sync DmaCopy t, A  post load\n@vector TensorCopy t, t  after load\n"
    )
    said, _ = hover(analyse(text), place(text, 4, "load")) or ("", None)
    assert "Posted on line 4." in said
    assert "Its lines have `$load += 16`." in said
    assert "have `$load >= 16`." in said


@pytest.mark.thorough
def test_an_editor_works_on_several_files(folder: Path) -> None:
    pytest.importorskip("pygls")
    from lsprotocol import types as lsp

    from tests.lsp.test_server import Client, driven

    library = folder / "parts" / "fill.nasm"

    async def session(client: Client, _: lsp.InitializeResult) -> None:
        server = client.client
        other = lsp.TextDocumentItem(library.as_uri(), "neuron-nasm", 1, MACROS)
        client.opened(TEXT)
        server.text_document_did_open(lsp.DidOpenTextDocumentParams(other))
        there = lsp.TextDocumentIdentifier(library.as_uri())
        # From the included file: the texts that include it are looked through as well.
        at = lsp.Position(*place(MACROS, 2, "fill"))
        edit = await server.text_document_rename_async(lsp.RenameParams(there, at, "stuff"))
        changes = {uri: len(edits) for uri, edits in edit.changes.items()}
        assert changes == {library.as_uri(): 1, client.uri: 2}
        # What is typed into the included file, and not saved, counts where it is included.
        at = lsp.Position(0, len(".const WIDTH"))
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(at, at), text="S")
        document = lsp.VersionedTextDocumentIdentifier(2, library.as_uri())
        server.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        while True:
            told = await asyncio.wait_for(client.published.get(), 20)
            codes = [d.code for d in told.diagnostics if d.severity == lsp.DiagnosticSeverity.Error]
            if told.uri == client.uri and codes:
                break
        assert codes == ["E0208"]

    driven(folder / "main.nasm", session)
