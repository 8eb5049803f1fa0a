"""Functions in tt-llk's part of C++, executed: what they make, and what is refused, at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm import Session, assemble
from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.printing.words import words_of
from nasm.llk.interpret import LlkKernel
from nasm.targets import TARGETS
from tests.tables import each


def kernel(text: str, **given: int) -> LlkKernel:
    return LlkKernel(TARGETS["wormhole"](), [Source("own.h", text)], given)


def made(text: str, name: str = "f", **given: int) -> list[str]:
    own = kernel(text, **given)
    own.run(name)
    words = words_of(assemble(own.output.text("wormhole", "t1"))).get("t1", [])
    if not any(line.startswith(".write") for line in own.output.lines):
        assert words == own.output.words
    return own.output.lines


NOP = "SFPNOP"

SHAPES = {
    "loop": ("for (int d = 0; d < 3; d++) { TTI_SFPNOP; }", 3),
    "pragma": ("\n#pragma GCC unroll 8\nfor (int d = 0; d < 2; ++d) TTI_SFPNOP;", 2),
    "while": ("int n = 4; while (n > 0) { TTI_SFPNOP; n -= 2; }", 2),
    "if": ("if constexpr (N == 2) { TTI_SFPNOP; } else { TTI_SFPNOP; TTI_SFPNOP; }", 2),
    "choose": ("const int n = N > 0 ? 2 : 1; for (int i = 0; i < n; i++) TTI_SFPNOP;", 1),
    "switch": ("switch (N) { case 0: TTI_SFPNOP; case 1: TTI_SFPNOP; break; default: break; }", 2),
    "break": ("while (true) { TTI_SFPNOP; break; }", 1),
    "arithmetic": ("int n = ((7 << 2) % 5 ^ 1) - -1; while (n-- > 1) TTI_SFPNOP;", 2),
    "call": ("g(); g(); ", 2),
    "specialized": ("h<true>(); h<false>();", 3),
    "reference": ("int n = 0; r(n); while (n > 0) { TTI_SFPNOP; n -= 1; }", 2),
    "static": ("twice(); twice();", 3),
    "left out": ("\n#ifdef NOWHERE\nTTI_SFPNOP;\n#else\nTTI_SFPNOP; TTI_SFPNOP;\n#endif\n", 2),
    "made of macros": ("ckernel_template t(1, 1, TT_OP_SFPNOP); t.program();", 0),
}
OTHERS = """
static int first = 1;
enum class Two { ONE = 1, TWO };
inline void g() { TTI_SFPNOP; }
template <bool X> inline void h();
template <> inline void h<true>() { TTI_SFPNOP; }
template <> inline void h<false>() { TTI_SFPNOP; TTI_SFPNOP; }
inline void r(int &n) { n = static_cast<int>(Two::TWO); }
inline void twice() { TTI_SFPNOP; if (first == 1) { TTI_SFPNOP; first = 0; } }
"""


@each("body, count", SHAPES.values(), ids=SHAPES)
def test_statements_are_executed(body: str, count: int) -> None:
    text = f"{OTHERS}template <int N = 0> inline void f() {{ {body} }}"
    assert made(text) == [NOP] * count


def test_arguments_are_names_and_sums_and_become_a_line_of_a_program() -> None:
    text = """
    template <int MODE> inline void f(const int dst) {
        TT_SFPLOAD(p_sfpu::LREG1, MODE, ADDR_MOD_3, dst * 64);
        TTI_SFPSTORE(1, InstrModLoadStore::INT32, 3, 2 * 64 + 1);
    }"""
    assert made(text, MODE=4, dst=1) == [
        "SFPLOAD lreg_ind=LREG1, instr_mod0=INT32, sfpu_addr_mode=ADDR_MOD_3, dest_reg_addr=0x40",
        "SFPSTORE lreg_ind=LREG1, instr_mod0=INT32, sfpu_addr_mode=ADDR_MOD_3, dest_reg_addr=0x81",
    ]


def test_the_values_of_names_are_those_of_their_field_and_of_files() -> None:
    both = kernel("inline void f() { TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH); }")
    both.run("f")
    assert both.output.lines == ["STALLWAIT stall_res=STALL_SFPU, wait_res=MATH"]
    known = "#define ROW 3\nconstexpr int AT = ROW + 1;\nenum { A, B = AT, C };\n"
    assert made(known + "void f() { TTI_INCRWC(0, C, 0, 0); }") == ["INCRWC rwc_d=5"]


def test_recordings_templates_and_modifiers_become_instructions_and_settings() -> None:
    text = """
    void f() {
        load_replay_buf(4, 2, [] { TTI_SFPNOP; TTI_SFPNOP; });
        lltt::replay(4, 2);
        sfpi::dst_reg++;
        addr_mod_t{.srca = {.incr = 1}, .dest = {.incr = 8, .clr = 1}}.set(ADDR_MOD_2);
        ckernel_template t(2, 3, TT_OP_SFPNOP, lltt::replay_insn(4, 2));
        t.set_end_op(TT_OP_INCRWC(0, 4, 0, 0));
        t.program();
        t.run();
    }"""
    own = kernel(text)
    own.run("f")
    replay = [line for line in own.output.lines if "REPLAY" in line]
    assert replay == ["REPLAY start_idx=4, len=2, load_mode=1", "REPLAY start_idx=4, len=2"]
    assert [line.split()[0] for line in own.output.lines] == [
        "REPLAY", NOP, NOP, "REPLAY", "INCRWC", ".write", ".write", ".write", "MOP",
    ]  # fmt: skip
    assert own.output.settings["MOP1_OuterCount"] == " = 2"
    assert own.output.settings["MOP1_LoopOp"] == ": SFPNOP"
    assert own.output.settings["MOP1_EndOp0"] == ": INCRWC rwc_d=4"
    assert "ADDR_MOD_DST_SEC2_DestIncr = 8" in own.output.lines[6]
    program = assemble(own.output.text("wormhole", "t1"))
    assert len(words_of(program)["t1"]) == 9


REFUSED = {
    "vector": ("sfpi::vFloat x = sfpi::dst_reg[0];", "C++ beyond what is read here"),
    "float": ("int x = 1.5;", "C++ beyond what is read here"),
    "unknown": ("TTI_SFPLOAD(MISSING, 0, 0, 0);", "nothing says what 'MISSING' is"),
    "undeclared": ("missing(1);", "'missing' is not declared"),
    "count": ("TTI_SFPLOAD(1, 2);", "TTI_SFPLOAD takes 4 arguments, found 2"),
    "division": ("int x = 1 / 0;", "it divides by 0"),
    "endless": ("while (true) { }", "rounds"),
    "member": ("addr_mod_t{.srca = {.nothing = 1}}.set(1);", "no field 'srca.nothing'"),
    "deep": ("f();", "calls itself too deep"),
}


@each("body, wanted", REFUSED.values(), ids=REFUSED)
def test_what_is_beyond_is_refused_at_its_line(body: str, wanted: str) -> None:
    with pytest.raises(Failure) as failure:
        kernel(f"inline void f()\n{{\n    {body}\n}}\n").run("f")
    (problem,) = failure.value.problems
    assert wanted in problem.message
    assert problem.span is not None
    assert problem.span.source.text.count("\n", 0, problem.span.start) == 2


def test_a_parameter_without_a_value_and_a_function_that_is_not_there_are_named() -> None:
    with pytest.raises(Failure, match="parameter 'N' of f has no value"):
        kernel("template <int N> void f() { }").run("f")
    with pytest.raises(Failure, match="no function 'ff' is declared"):
        kernel("void f() { }").run("ff")
    with pytest.raises(Failure, match="a condition that is not read here"):
        kernel("#if N > 3\nvoid f() { }\n#endif\n")


TWO = """
inline void sum_init() { ckernel_template t(1, 4, TT_OP_SFPNOP); t.program(); }
inline void sum() { ckernel_template::run(); }
inline void move_init()
{
    ckernel_unpack_template t(false, false, TT_OP_INCRWC(0, 1, 0, 0), 0, 0, 0, TT_OP_NOP, 0, 0);
    t.program();
}
inline void move() { ckernel_unpack_template::run(3, 2); }
inline void both() { sum_init(); sum(); sum(); move_init(); move(); sum_init(); sum(); }
"""


def test_two_operations_with_templates_of_their_own_are_one_program() -> None:
    made = kernel(TWO)
    made.run("both")
    lines = made.output.text("wormhole", "t1")
    assert lines.count("wait=1") == 2
    report = Session(assemble(lines)).run()
    assert (report.problems, report.hazards) == ((), ())
    # 4 and 4 SFPNOP; of three rounds NOP for the second, by the mask; 4 SFPNOP.
    (thread,) = [e for e in report.engines if e.engine == "t1"]
    assert thread.instructions == 4 + 4 + 3 + 4


def test_the_same_template_again_is_not_stored() -> None:
    made = kernel(TWO + "inline void again() { sum_init(); sum(); sum_init(); sum(); }")
    made.run("again")
    assert ".write" not in made.output.text("wormhole", "t1")


def test_the_verb_prints_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.h"
    file.write_text("template <int N> void f() { for (int i = 0; i < N; i++) TTI_SFPNOP; }")
    assert main(["llk", f"{file}:f", "-D", "N=2"]) == 0
    assert capsys.readouterr().out == ".target wormhole\n\n@t1\n    SFPNOP\n    SFPNOP\n"
    assert main(["llk", f"{file}:f", "-D", "N"]) != 0
    assert main(["llk", "f"]) != 0
