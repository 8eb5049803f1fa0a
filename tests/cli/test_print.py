"""The verb print: where the text goes, and what it is refused for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import nasm
from nasm.language.printing import text

TILED = str(Path(__file__).parents[2] / "programs" / "matmul_tiled.nasm")


def test_what_is_printed_runs_as_the_program_does(ran: Any, tmp_path: Path) -> None:
    printed = tmp_path / "printed.nasm"
    done = ran("print", TILED, "-D", "M=128", "-D", "N=512", "-o", printed)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert ".for" not in printed.read_text()
    ran_as_written = nasm.run(TILED, defines={"M": 128, "N": 512}).report
    report = nasm.run(printed).report
    assert report.trace_hash == ran_as_written.trace_hash
    assert report.memory_hash == ran_as_written.memory_hash


def test_it_goes_to_standard_output(ran: Any) -> None:
    done = ran("print", TILED, "--places")
    assert done.code == 0
    assert done.out == text(nasm.assemble(TILED), folder=str(Path(TILED).parent), places=True)


def test_a_file_is_named_from_where_the_text_goes(
    ran: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    np.save("x.npy", np.ones(4, np.float32))
    Path("a.nasm").write_text('.target trn2\n.hbm x f32[4] input = "x.npy"\n.expect x == 1\n')
    assert '"x.npy"' in ran("print", "a.nasm").out
    assert ran("print", "a.nasm", "-o", "out/b.nasm").code == 0
    assert '"../x.npy"' in Path("out/b.nasm").read_text()
    assert ran("run", "out/b.nasm", "-q").code == 0


def test_what_cannot_be_is_refused(ran: Any, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.nasm"
    wrong.write_text(".target trn2\n@vector Memsett t, 1.0\n")
    done = ran("print", wrong)
    assert (done.code, done.out) == (2, "")
    assert "E0201" in done.err
    fine = tmp_path / "fine.nasm"
    fine.write_text(".target trn2\n")
    assert "E0813" in ran("print", fine, "-o", fine).err
    assert "E0806" in ran("print", fine, "-o", tmp_path / "none" / "b.nasm").err
    assert fine.read_text() == ".target trn2\n"


COMMENTED = """\
; a program
; for two

.target trn2
; the tile
.sbuf  t  f32[8, 8]         ; where it is
.sbuf  u  f32[8, 8]         ; nasm: allow E0525 it is scratch
; twice
.for k in 0..2
    ; fill
    @vector  Memset  t, k   ; with k
.end
@vector  Memset  u, 1.0
; at last
.expect  t == 1
"""


def test_a_comment_is_above_the_first_line_that_its_line_became(ran: Any, tmp_path: Path) -> None:
    (tmp_path / "x.nasm").write_text(COMMENTED)
    printed = ran("print", str(tmp_path / "x.nasm")).out
    said = [line.strip() for line in printed.split("\n") if ";" in line]
    assert said == [
        "; a program",
        "; for two",
        "; the tile",
        "; where it is",
        ".sbuf  u  float32[8, 8]  ; nasm: allow E0525 it is scratch",
        "; twice",
        "; fill",
        "; with k",
        "; at last",
    ]
    lines = printed.split("\n")
    assert lines[lines.index("    ; with k") + 1].split()[:2] == ["Memset", "t,"]
    (tmp_path / "y.nasm").write_text(printed)
    assert ran("print", str(tmp_path / "y.nasm")).out == printed


def test_comments_may_be_left_out() -> None:
    program = nasm.assemble(COMMENTED)
    assert "fill" not in text(program, comments=False)


def test_desugar_is_what_print_writes(ran: Any, tmp_path: Path) -> None:
    printed = ran("print", TILED).out
    assert ran("list", TILED, "--desugar").out == printed
    assert ran("asm", TILED, "--desugar").out == printed
    done = ran("asm", TILED, "--desugar", "-o", tmp_path / "plain.nasm")
    assert (done.code, done.out) == (0, "")
    again, plain = tmp_path / "again.nobj", tmp_path / "plain.nobj"
    assert ran("asm", TILED, "--strip", "-o", again).code == 0
    assert ran("asm", tmp_path / "plain.nasm", "--strip", "-o", plain).code == 0
    assert again.read_bytes() == plain.read_bytes()


def test_desugar_is_no_document(ran: Any) -> None:
    done = ran("asm", TILED, "--desugar", "--json")
    assert done.code == 2
    assert "--desugar writes a text" in done.out
