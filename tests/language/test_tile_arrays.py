"""Arrays of tiles: ``.sbuf x[2] f32[128, 64]`` and ``x[r % 2]``."""

from __future__ import annotations

import pickle

import nasm
from nasm.apps.lsp.analysis import analyse
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.hover import hover
from nasm.apps.lsp.outline import entries
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.language.formatting import formatted
from nasm.language.objects import load
from nasm.language.objects.writing import written
from nasm.language.printing.text import text as printed
from nasm.targets import TARGETS
from tests.lsp.texts import place
from tests.tables import each

HEAD = ".target trn2\n.hbm X f32[4, 128, 64] input = iota\n"

BODY = """
.for r in 0..4
@sync    DmaCopy       x[r % 2], X[r]                                after seen[r - 2]  post load[r]
@vector  TensorScalar  y[:, r, :], x[r % 2], op0=add, operand0=r     after load[r]      post seen[r]
.end
.expect  x[0] == X[2]
.expect  x[-1][:, 0:8] == X[3, :, 0:8]
.expect  y[:, 1, :] == X[1] + 1
"""

ARRAY = f"{HEAD}.sbuf x[2] f32[128, 64]\n.sbuf y f32[128, 4, 64]\n{BODY}"
BRACES = (
    f"{HEAD}.for i in 0..2\n.sbuf x{{i}} f32[128, 64]\n.end\n.sbuf y f32[128, 4, 64]\n"
    + BODY.replace("x[r % 2]", "x{r % 2}").replace("x[0]", "x0").replace("x[-1]", "x1")
)
"""The same with names that a ``.for`` makes."""


def problems_of(text: str) -> list[tuple[str, str, str]]:
    """Codes, places and hints of the errors of a text."""
    try:
        nasm.assemble(HEAD + text)
    except Failure as failure:
        return [(p.code, "" if p.span is None else p.span.text, p.hint) for p in failure.problems]
    return []


def test_an_array_is_its_tiles_by_names_with_numbers() -> None:
    made, other = (printed(nasm.assemble(text), comments=False) for text in (ARRAY, BRACES))
    assert made == other
    assert nasm.run(ARRAY).ok


def test_a_wrong_value_is_found_by_an_expectation_of_a_tile() -> None:
    result = nasm.run(ARRAY.replace("x[0] == X[2]", "x[0] == X[3]"))
    assert [e.held for e in result.report.expectations] == [False, True, True]


def test_what_is_printed_saved_and_pickled_is_the_same_program() -> None:
    program = nasm.assemble(ARRAY)
    text = printed(program, comments=False)
    assert ".expect  x0 == X[2]" in text
    assert printed(nasm.assemble(text), comments=False) == text
    data = written(program, Source("array.nasm", ARRAY))
    loaded = load(ObjectFile("array.nobj", data), TARGETS).program
    for again in (loaded, pickle.loads(pickle.dumps(program))):
        assert printed(again, comments=False) == text
        assert nasm.run(again).ok


def test_every_memory_has_arrays_and_each_tile_has_its_initial_values() -> None:
    text = f"""{HEAD}.const N = 3
.hbm  Q[N]  f32[128, 8]    input = iota
.hbm  R[N]  f32[128, 8]    output
.psum p[2]  f32[128, 512]
.for n in 0..N
@sync  DmaCopy  R[n], Q[n]
.end
@vector  Memset  p[1], 7
@sync  .drain
.expect  R[2] == Q[0]
.expect  p[1] == 7
"""
    result = nasm.run(text)
    assert result.ok
    assert list(result.outputs) == ["R0", "R1", "R2"]
    tensors = nasm.assemble(text).tensors
    assert [tensors[name].offset for name in ("p0", "p1")] == [0, 2048]


def test_a_macro_is_passed_an_array_and_has_arrays_of_its_own() -> None:
    text = f"""{HEAD}.sbuf x[2] f32[128, 8]
.macro fill(tiles)
    .sbuf          own[2]  f32[128, 8]
    .sbuf @export  out[2]  f32[128, 8]
    .for i in 0..len(tiles)
    @vector  Memset  tiles[i], i + 1
    @vector  Memset  own[i], i
    .end
    @vector  TensorTensor  out[1], tiles[1], own[1], op=add
    .expect  own[1] == 1
.end
fill(x)
.expect  x[1] == 2
.expect  out[1] == 3
"""
    result = nasm.run(text)
    assert result.ok
    assert {"fill_1_own0", "out1"} <= nasm.assemble(text).tensors.keys()


TILE = ".sbuf x[2] f32[128, 64]\n"


@each(
    ("text", "code", "where"),
    [
        ("@vector Memset x[2], 0", "E0211", "x[2]"),
        ("@vector Memset x, 0", "E0301", "x"),
        ("@vector Memset x[0, :], 0", "E0212", "x[0, :]"),
        (".loop k in 0..2\n@vector Memset x[k], 0\n.end", "E0231", "x[k]"),
        (".sbuf y[0] f32[128, 8]", "E0304", "0"),
        (".sbuf y[1.5] f32[128, 8]", "E0304", "1.5"),
        (".sbuf y[2] f32[128, 8] @ 0:0", "E0310", "0"),
        (".sbuf x0 f32[128, 8]", "E0202", "x0"),
        (".sbuf x f32[128, 8]", "E0202", "x"),
        (".sbuf y f32[1, 8]\n.sbuf y[2] f32[128, 8]", "E0202", "y"),
        (".sbuf y1 f32[1, 8]\n.sbuf y[2] f32[128, 8]", "E0202", "y"),
        (".expect x == 1", "E0210", "x"),
        (".expect x[2] == 1", "E0211", "x[2]"),
        (".sbuf y[2], f32[128, 8]", "E0114", ","),
    ],
)
def test_what_is_no_array_is_refused(text: str, code: str, where: str) -> None:
    assert [found[:2] for found in problems_of(TILE + text)] == [(code, where)]


def test_a_tile_lives_as_long_as_its_scope() -> None:
    text = ".scope\n.sbuf x[2] f32[128, 8]\n.end\n@vector Memset x[1], 0\n"
    assert [found[0] for found in problems_of(text)] == ["E0240"]


def test_columns_of_declarations_have_the_count_at_the_name() -> None:
    text = ".sbuf x[2] f32[128, 64]\n.sbuf total  f32[128, 1]\n"
    aligned = ".sbuf  x[2]   f32[128, 64]\n.sbuf  total  f32[128, 1]\n"
    assert formatted(Source("a.nasm", text.replace(".sbuf ", ".sbuf  "))) == aligned
    assert formatted(Source("a.nasm", aligned)) == aligned


def test_an_editor_knows_the_tiles_of_an_array() -> None:
    analysis = analyse(ARRAY)
    text, _ = hover(analysis, place(ARRAY, 7, "x")) or ("", None)
    assert "**x0**" in text
    assert "**x1**" in text
    assert ("x", "array") in [(e.name, e.kind) for e in entries(analysis)]
    assert "x" in [s.text for s in completions(analysis, "@vector Memset x")]
    assert "bf16" in [s.text for s in completions(analysis, ".sbuf w[2] bf")]


def test_the_debugger_shows_a_tile_by_its_number() -> None:
    session = nasm.Session(ARRAY)
    session.run()
    assert session.evaluate("x[1][0, 0:2]").array.tolist() == [24576.0, 24577.0]
    session.execute("@vector Memset x[1], 5")
    assert session.evaluate("x[1][0, 0]").array == 5
