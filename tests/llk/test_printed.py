"""``print --form llk``: what a program makes, as tt-llk's text, gives the same words when read."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from nasm import assemble
from nasm.apps.cli import main
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.language.printing.llk import llk_text, program_text
from nasm.language.printing.words import words_of
from nasm.llk.interpret import LlkKernel
from nasm.program.program import Program
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa import words_on
from tests.parts import part
from tests.tables import each

WORDS = words_on("wormhole")
ROWS = [row for row in TARGET.rows(TARGET.generations[0]) if row.encoding is not None]

FOLDER = Path(__file__).parents[2] / "programs" / "tensix"


def back(text: str, queue: str) -> Program:
    kernel = LlkKernel(ROWS, [Source("printed.h", text)], {})
    kernel.run(queue)
    return assemble(program_text(TARGET, kernel.output, "wormhole", queue))


def expanders(program: Program, queue: str) -> dict[str, int]:
    held = {s.name: s.value for s in program.settings if s.name.startswith(("MOP0_", "MOP1_"))}
    ours = {s.name: s.value for s in program.settings if s.engine == queue and s.name in held}
    return {name: value for name, value in ours.items() if value}


OF_CORES = re.compile(r"^(@trisc|\.rv )", re.MULTILINE)
PROGRAMS = sorted(
    p.name for p in FOLDER.glob("*.nasm") if not OF_CORES.search(p.read_text("utf-8"))
)
"""Those without lines of RISC-V cores."""


@each("name", part(PROGRAMS, 5))
def test_programs_come_back_word_for_word(name: str) -> None:
    program = assemble(source_of(FOLDER / name))
    text = llk_text(program)
    words = words_of(program)
    assert words
    for queue, wanted in words.items():
        again = back(text, queue)
        assert words_of(again)[queue] == wanted
        found = expanders(again, queue)
        assert {n: found.get(n) for n in expanders(program, queue)} == expanders(program, queue)


def test_every_row_comes_back_with_bits_at_random() -> None:
    rng = random.Random(1)
    lines, wanted = [".target wormhole", "@t1"], []
    for row in ROWS:
        for _ in range(8):
            assert row.encoding is not None
            word = row.encoding.code << 24 | rng.getrandbits(24) & row.encoding.known
            if not WORDS.reason(word) and row.vendor.get("tt-llk"):
                wanted.append(word)
                lines.append(f".word {word:#x}")
    assert len({word >> 24 for word in wanted}) > 110
    text = llk_text(assemble("\n".join(lines)))
    assert words_of(back(text, "t1"))["t1"] == wanted


def test_names_are_those_of_headers_and_settings_are_comments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.nasm"
    path.write_text(
        ".target wormhole\n.cfg SEM1_max = 1\n@t0 .cfg MOP0_Flags = 1\n@t0 .cfg MOP0_A0: SFPNOP\n"
        "@t1 STALLWAIT BlockMask=STALL_SFPU|STALL_MATH, ConditionMask=MATH\n"
        "@t0 NOP\n"
    )
    assert main(["print", str(path), "--form", "llk"]) == 0
    out = capsys.readouterr().out
    assert "// .cfg SEM1_max = 1\n" in out
    assert "TTI_STALLWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU, p_stall::MATH);" in out
    assert "ckernel_unpack_template masked(1, 0, TT_OP_SFPNOP, 0x0," in out


@each(
    ("text", "said"),
    [
        (".target wormhole\n@t0 .word 0xff000000, data=true", "is no instruction"),
        (".target trn2\n@vector Nop", "no public document says what words"),
    ],
)
def test_what_has_no_macro_is_refused(text: str, said: str) -> None:
    with pytest.raises((Failure, Refused), match=said):
        llk_text(assemble(text))


def test_lines_of_cores_are_refused() -> None:
    program = assemble(".target wormhole\n@t1 NOP\n@trisc1 SW GPR1, 1\n")
    with pytest.raises(Refused, match="@trisc1 has lines"):
        llk_text(program)
