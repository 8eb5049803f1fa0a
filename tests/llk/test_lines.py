"""``.llk`` in a program: functions of files, and statements, become instructions at their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm import assemble
from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.printing.words import words_of
from nasm.program.program import Program

OWN = """\
#pragma once
template <int N> inline void load(const int at)
{
    for (int i = 0; i < N; i++) { TT_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_3, at + i * STEP); }
}
inline void moved() { addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_2); }
"""
NOP, LOAD, STORE = 0x8F000000, 0x7010C000, 0x7210C000


def program(folder: Path, lines: str) -> Program:
    (folder / "own.llk").write_text(OWN)
    (folder / "step.h").write_text("constexpr int STEP = 4;\n")
    text = f".target wormhole\n{lines}\n"
    return assemble(Source(str(folder / "p.nasm"), text))


def words(folder: Path, lines: str) -> list[int]:
    return words_of(program(folder, lines))["t1"]


def test_a_function_and_statements_are_instructions_at_their_place(tmp_path: Path) -> None:
    assert words(
        tmp_path,
        '@t1\n    SFPNOP\n.llk "own.llk:load" N=2, at=8, files="step.h"\n'
        '    SFPSTORE lreg_ind=1, sfpu_addr_mode=3\n.llk "TTI_SFPNOP; TTI_SFPNOP;"',
    ) == [NOP, LOAD | 8, LOAD | 12, STORE, NOP, NOP]


def test_loops_macros_and_constants_repeat_a_line(tmp_path: Path) -> None:
    lines = """.const AT = 16
    .macro twice(n)
    @t1 .llk "own.llk:load" N=1, at=n, STEP=1
    .end
    .for k in 0..2
    twice(AT + k)
    .end
    twice(1)"""
    assert words(tmp_path, lines) == [LOAD | 16, LOAD | 17, LOAD | 1]


def test_modifiers_are_written_and_templates_set(tmp_path: Path) -> None:
    made = words(tmp_path, '@t1 .llk "own.llk:moved"')
    assert made == [0xB20B0000, 0xB2190002, 0xB2320000]
    text = "ckernel_template t(2, 3, TT_OP_SFPNOP); t.program(); t.run();"
    twice = program(tmp_path, f'@t1 .llk "{text}"\n@t1 .llk "{text}"')
    assert words_of(twice)["t1"] == [0x01800000] * 2
    held = {s.name: s.value for s in twice.settings}
    assert (held["MOP1_OuterCount"], held["MOP1_LoopOp"]) == (2, NOP)
    other = text.replace("(2,", "(3,")
    both = program(tmp_path, f'@t1 .llk "{text}"\n@t1 .llk "{other}"')
    assert {s.name: s.value for s in both.settings} == held
    assert words_of(both) == {"t1": [0x01800000] * 2}
    (core,) = [q for q in both.queues if q.engine == "trisc1"]
    names = [both.instructions[n].row.name for n in core.instructions]
    assert names == ["PUSH", "LW", *["SW"] * 9, "PUSH"]


@pytest.mark.parametrize(
    ("line", "said", "at"),
    [
        ('.llk "own.txt:f"', "is not called *.llk", '"own.txt:f"'),
        ('.llk "none.llk:f"', "no file none.llk", '"none.llk:f"'),
        ('.llk "load"', "neither a function of a file nor statements", '"load"'),
        ('.llk "own.llk:f"', "no function 'f' is declared", ""),
        ('.llk "own.llk:load"', "parameter 'N' of load has no value", ""),
        ('.llk "TTI_NONE(1);"', "'TTI_NONE' is not declared", '"TTI_NONE(1);"'),
        ('.llk "TTI_SFPNOP;" files=3', "takes the name of a file", "3"),
        ('.llk "TTI_SFPNOP;" n=1.5', "wanted an integer", "1.5"),
        ('.llk "own.llk:load" N="(", STEP=1, at=0', "'(' is C++ beyond what is read here", ""),
        ('.lk "TTI_SFPNOP;"', "takes no text of '.lk'", "lk"),
    ],
)
def test_what_is_wrong_is_refused_where_it_is(
    tmp_path: Path, line: str, said: str, at: str
) -> None:
    with pytest.raises(Failure) as failure:
        program(tmp_path, f"@t1 {line}")
    (problem,) = failure.value.problems
    assert said in problem.message
    assert problem.span is not None
    assert not at or problem.span.text == at


def test_a_program_with_such_lines_runs_and_is_formatted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.nasm"
    path.write_text(
        '.target wormhole\n@t1 .llk "TTI_SFPLOADI(p_sfpu::LREG2, 0, 0x3F80);"\n'
        "@t1 SFPSTORE VD=2, Mod0=BF16, Imm10=0\n.expect cycles(t1) <= 4\n"
    )
    assert main(["run", str(path)]) == 0
    assert main(["fmt", str(path)]) == 0
    assert main(["run", str(path), "--no-python"]) == 0
    assert main(["print", str(path)]) == 0
    assert "SFPLOADI  lreg_ind=LREG2, imm16=0x3f80" in capsys.readouterr().out
