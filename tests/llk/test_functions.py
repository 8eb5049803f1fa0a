"""Functions in tt-llk's part of C++, executed: what they make, and what is refused, at its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nasm import Session, assemble
from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.printing.llk import program_lines, program_text
from nasm.language.printing.words import words_of
from nasm.llk.interpret import LlkKernel
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa import words_on
from tests.tables import each

WORDS = words_on("wormhole")


def kernel(text: str, **given: int) -> LlkKernel:
    return LlkKernel(TARGET.isa, [Source("own.h", text)], given)


def made(text: str, name: str = "f", **given: int) -> list[str]:
    own = kernel(text, **given)
    own.run(name)
    words = words_of(assemble(program_text(TARGET, own.output, "wormhole", "t1"))).get("t1", [])
    if not any(line.startswith(".write") for line in program_lines(WORDS, own.output)):
        assert words == own.output.words
    return program_lines(WORDS, own.output)


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
    "lambda": (
        "auto g = [&](const int n) __attribute__((always_inline)) { "
        "for (int i = 0; i < n; i++) TTI_SFPNOP; return n; }; g(g(1));",
        2,
    ),
    "what a lambda changes": (
        "int n = 0; auto g = [&n](int by) { n += by; }; g(2); g(1); while (n-- > 0) TTI_SFPNOP;",
        3,
    ),
    "array": ("const int a[3] = {1, 0, 2}; for (int i = 0; i < a[2]; i++) TTI_SFPNOP;", 2),
    "array of a file": ("for (int i = 0; i < SIZES[1]; i++) TTI_SFPNOP;", 3),
    "fields": ("for (int i = 0; i < SHAPE.rows * SHAPE.all(); i++) TTI_SFPNOP;", 12),
    "macro": ("for (int i = 0; i < ADDED(1, 2); i++) TTI_SFPNOP;", 3),
    "constants of types": ("for (int i = p_one::N; i < p_two::N; i++) TTI_SFPNOP;", 4),
    "attribute": ("[[maybe_unused]] const int n = 1; TTI_SFPNOP;", 1),
    "made of macros": ("ckernel_template t(1, 1, TT_OP_SFPNOP); t.program();", 0),
}
OTHERS = """
#define ADDED(a, b) ((a) + (b))
constexpr int SIZES[2] = {2, 3};
struct Shape { int rows; int columns; constexpr int all() const { return rows * columns; } };
constexpr Shape SHAPE = {2, 3};
struct p_one { constexpr static int N = 1; };
struct p_two { constexpr static int N = 5; };
constexpr auto low = [](float x) constexpr { return __builtin_bit_cast(int, x) & 0xFFFF; };
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
    assert program_lines(WORDS, both.output) == ["STALLWAIT stall_res=STALL_SFPU, wait_res=MATH"]
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
    replay = [line for line in program_lines(WORDS, own.output) if "REPLAY" in line]
    assert replay == ["REPLAY start_idx=4, len=2, load_mode=1", "REPLAY start_idx=4, len=2"]
    assert [line.split()[0] for line in program_lines(WORDS, own.output)] == [
        "REPLAY", NOP, NOP, "REPLAY", "INCRWC", ".write", ".write", ".write", "MOP",
    ]  # fmt: skip
    text = program_text(TARGET, own.output, "wormhole", "t1")
    assert ".cfg MOP1_OuterCount = 2\n" in text
    assert ".cfg MOP1_LoopOp: SFPNOP\n" in text
    assert ".cfg MOP1_EndOp0: INCRWC rwc_d=4\n" in text
    assert "ADDR_MOD_DST_SEC2_DestIncr = 8" in program_lines(WORDS, own.output)[6]
    program = assemble(program_text(TARGET, own.output, "wormhole", "t1"))
    assert len(words_of(program)["t1"]) == 9


def test_floats_are_rounded_as_their_types_are_and_taken_by_their_bits() -> None:
    text = """
    constexpr auto bits = [](float x) constexpr { return __builtin_bit_cast(std::uint32_t, x); };
    void f() {
        constexpr float third = 1.0f / 3, scale = __builtin_bit_cast(float, 0x43800000);
        const double wide = 1.0 / 3;
        TTI_SFPLOADI(0, 10, bits(third * scale) & 0xFFFF);
        TTI_SFPLOADI(0, 8, bits(third * scale) >> 16);
        TTI_SFPLOADI(0, 8, static_cast<int>(wide * 10 + 0.5));
        const float kept = wide;
        TTI_SFPLOADI(0, 10, bits(kept) & 0xFFFF);
    }"""
    third = np.float32(1) / np.float32(3)
    wanted = int((third * np.float32(256)).view(np.uint32))
    numbers = [wanted & 0xFFFF, wanted >> 16, 3, int(third.view(np.uint32)) & 0xFFFF]
    own = kernel(text)
    own.run("f")
    assert [word & 0xFFFF for word in own.output.words] == numbers


def test_modifiers_of_packers_are_one_word() -> None:
    own = kernel(
        "void f() {addr_mod_pack_t{.y_src = {.incr = 15, .clr = 1}, .z_dst = {.incr = 1}}.set(2); }"
    )
    own.run("f")
    program = assemble(program_text(TARGET, own.output, "wormhole", "t2"))
    assert words_of(program)["t2"] == [0xB2210000 | 15 | 1 << 5 | 1 << 14]


REFUSED = {
    "vector": ("sfpi::vFloat x = sfpi::dst_reg[0];", "'sfpi::vFloat' is SFPI"),
    "vector of a constant": ("vFloat x = 1.0f;", "'vFloat' is SFPI"),
    "float": ("TTI_SFPLOADI(0, 0, 1.5f);", "TTI_SFPLOADI takes integers"),
    "bits of a float": ("int x = 1.5f & 1;", "'&' takes no float"),
    "vector's constant": ("sfpi::vConstFloatPrgm0 = 0.5f;", "nothing declares"),
    "array as a number": ("int a[2] = {1, 2}; int b = a + 1;", "only numbers are combined"),
    "infinite": ("int x = static_cast<int>(1e400);", "inf is no integer"),
    "template": ("ckernel_template t(1);", "takes 3 or 4 integers"),
    "method": ("ckernel_template t(1, 1, 2); t.set_end_ops(1);", "set_end_ops takes 2 integers"),
    "modifier": ("addr_mod_t{.srca = {.incr = 1.5f}}.set(0);", "'srca' of addr_mod_t takes"),
    "record": ("lltt::record(1);", "record takes 2 integers"),
    "shift": ("int x = 1 << 64;", "it shifts by 64"),
    "shift by less than nothing": ("int x = 1 << (0 - 1);", "it shifts by -1"),
    "grows": ("int x = 3; for (int i = 0; i < 100; i++) x *= x;", "an integer has more than"),
    "item": ("int a[2] = {1, 2}; int x = a[2];", "each by its number"),
    "pointer": ("volatile int *cfg = get_cfg_pointer();", "C++ beyond what is read here"),
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


def test_a_function_that_two_files_declare_is_refused() -> None:
    files = [
        Source("own.h", "void f() { g(1); }"),
        Source("a.h", "void g(int n) { TTI_SFPNOP; }"),
        Source("b.h", "void g(int n) { } void g(int n, int m) { }"),
    ]
    with pytest.raises(Failure, match=r"'g' is declared in a\.h and b\.h"):
        LlkKernel(TARGET.isa, files, {}).run("f")
    LlkKernel(TARGET.isa, files[:2], {}).run("f")


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
    lines = program_text(TARGET, made.output, "wormhole", "t1")
    assert lines.count("wait=1") == 2
    report = Session(assemble(lines)).run()
    assert (report.problems, report.hazards) == ((), ())
    # 4 and 4 SFPNOP; of three rounds NOP for the second, by the mask; 4 SFPNOP.
    (thread,) = [e for e in report.engines if e.engine == "t1"]
    assert thread.instructions == 4 + 4 + 3 + 4


def test_the_same_template_again_is_not_stored() -> None:
    made = kernel(TWO + "inline void again() { sum_init(); sum(); sum_init(); sum(); }")
    made.run("again")
    assert ".write" not in program_text(TARGET, made.output, "wormhole", "t1")


def test_lines_of_llk_with_templates_of_their_own_are_one_program(tmp_path: Path) -> None:
    (tmp_path / "two.h").write_text(TWO, encoding="utf-8")
    calls = ("sum_init", "sum", "move_init", "move", "sum_init", "sum")
    lines = "".join(f'.llk "two.h:{name}"\n' for name in calls)
    (tmp_path / "two.nasm").write_text(f".target wormhole\n@t1\n{lines}", encoding="utf-8")
    report = Session(assemble(tmp_path / "two.nasm")).run()
    assert (report.problems, report.hazards) == ((), ())
    (thread,) = [e for e in report.engines if e.engine == "t1"]
    assert thread.instructions == 4 + 3 + 4


def test_the_verb_prints_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.h"
    file.write_text("template <int N> void f() { for (int i = 0; i < N; i++) TTI_SFPNOP; }")
    assert main(["llk", f"{file}:f", "-D", "N=2"]) == 0
    assert capsys.readouterr().out == ".target wormhole\n\n@t1\n    SFPNOP\n    SFPNOP\n"
    assert main(["llk", f"{file}:f", "-D", "N=1 + (1 << 0)"]) == 0
    assert capsys.readouterr().out.count("SFPNOP") == 2
    assert main(["llk", f"{file}:f", "-D", "N"]) != 0
    assert main(["llk", "f"]) != 0
