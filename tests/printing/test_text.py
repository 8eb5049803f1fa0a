"""What a printed text says, and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.printing import text
from tests.printing.same import again, parts, round_trip


def body(program: nasm.Program, **how: object) -> list[str]:
    """The lines of a printed program that say something."""
    return [line for line in text(program, **how).splitlines() if line]  # type: ignore[arg-type]


def of(*lines: str, target: str = "trn2") -> nasm.Program:
    return nasm.assemble("\n".join([f".target {target}", *lines]) + "\n")


# ---------------------------------------------------------------- declarations


def test_a_place_is_said_where_the_program_chose_it() -> None:
    program = of(
        ".sbuf a f32[128, 4] @ 0:64",
        ".sbuf b f32[32, 4]",
        ".psum p f32[128, 8] @ bank 3",
        ".psum q f32[128, 8] @ 0:2052",
    )
    assert body(program)[1:] == [
        ".sbuf  a  float32[128, 4]  @ 0:64",
        ".sbuf  b  float32[32, 4]",
        ".psum  p  float32[128, 8]  @ bank 3",
        ".psum  q  float32[128, 8]  @ 0:2052",
    ]
    assert body(program, places=True)[2] == ".sbuf  b  float32[32, 4]   @ 0:0"


def test_a_place_that_the_assembler_would_not_choose_is_said() -> None:
    b = nasm.Builder("trn2")
    for name in "abc":
        b.sbuf(name, "f32", (128, 4))
    program = b.finish()
    program.tensors["a"].offset, program.tensors["b"].offset = 64, 0
    made = again(program, text(program))
    assert [t.offset for t in made.tensors.values()] == [64, 0, 32]


def test_semaphores_have_their_numbers_where_these_are_not_in_order() -> None:
    assert body(of(".sem a, b", ".event e"))[1:] == [".sem   a, b", ".event  e"]
    program = of(".sem a = 7, b", ".event e = 3")
    assert body(program)[1:] == [".sem   a = 7, b = 0", ".event  e = 3"]
    round_trip(program)


def test_what_belongs_to_the_second_core_stays_there() -> None:
    program = of(
        ".core 1",
        ".hbm  x  f32[2, 4]",
        ".sbuf t  f32[128, 4]",
        ".sem  s",
        ".core 0",
        ".sbuf u  f32[128, 4]",
        "@vector Memset u, 1.0   $s++",
        ".core 1",
        "@vector Memset t, 1.0",
    )
    round_trip(program)
    assert round_trip(of(".core 1")).cores == 2


def test_names_that_mean_something_elsewhere_are_names() -> None:
    names = "add max bf16 bank in step input random zeros view ap exp vector read iota core end"
    lines = [f".sbuf {name} f32[128, 4]" for name in names.split()]
    lines += [".sem sem, event, complete", ".const tensor = 3"]
    lines += [f"@vector TensorTensor {a}, {a}, max, op=add" for a in names.split()]
    lines += [
        "@vector",
        "bank: Nop  $complete >= 1  $sem++ @read",
        ".expect max(add, max) == tensor",
    ]
    lines += [".expect cycles(tensor) == tensor"]
    round_trip(of(*lines))


def test_machine_options_and_figures_are_in_comments() -> None:
    options = {"rounding": "stochastic"}
    program = nasm.assemble(".target trn2\n", options=options, timing={"semaphore_ns": 25})
    assert body(program) == [
        ".target trn2",
        "; assembled with --option rounding=stochastic",
        "; assembled with semaphore_ns = 25",
    ]


# ---------------------------------------------------------------- initial values


def test_a_long_list_goes_to_a_file_where_it_may(tmp_path: Path) -> None:
    b = nasm.Builder("trn2")
    values = np.arange(200, dtype=np.float32).reshape(2, 100) / 8
    b.hbm("x", "bf16", (2, 100), role="input", init=values)
    b.hbm("few", "f32", (2,), role="input", init=[1, float("-inf")])
    program = b.finish()
    round_trip(program)
    printed = text(program, folder=str(tmp_path), arrays=str(tmp_path / "arrays"))
    assert '.hbm  x    bfloat16[2, 100]  input = "arrays/x.npy"' in printed
    assert ".hbm  few  float32[2]        input = [1, -inf]" in printed
    made = again(program, printed, str(tmp_path))
    assert nasm.run(made).report.memory_hash == nasm.run(program).report.memory_hash


def test_an_array_file_is_named_from_where_the_text_is(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "data" / "x.npy", np.ones((4,), np.float32))
    source = Source(str(tmp_path / "a.nasm"), '.target trn2\n.hbm x f32[4] input = "data/x.npy"\n')
    program = nasm.assemble(".target trn2\n")
    program = again(program, source.text + '.expect x == "data/x.npy"\n', str(tmp_path))
    assert '"data/x.npy"' in text(program, folder=str(tmp_path))
    printed = text(program, folder=str(tmp_path / "out"))
    assert printed.count('"../data/x.npy"') == 2
    assert nasm.run(again(program, printed, str(tmp_path / "out"))).ok
    assert f'"{tmp_path}/data/x.npy"' in text(program)


# ---------------------------------------------------------------- expectations


@pytest.mark.parametrize(
    "said",
    [
        "x ~ y.T @ y  rtol=0.01 atol=0.5",
        "(x > 0 and not y < 1)",
        "x[0:2, 1] == [1, -2]",
        "-2 ** (-x) == (2 ** x) ** 2",
        "2 ** x ** 2 == -x - (y - 1)",
        "x - y - x == x / (y * 2)",
        "sum(x, axis=-1) == max(y, axis=1)  at_least=0.5",
        "x.reshape(16).reshape(4, 4) == where(x == y, x, y)",
        "cycles(vector) <= 3 * 4",
        "x[0 : +2, 1:4:2] == 1 + 2 % 3 // 4",
    ],
)
def test_an_expectation_is_written_with_the_brackets_it_needs(said: str) -> None:
    expected = f".expect  {said}"
    program = of(".hbm x f32[4, 4]", ".hbm y f32[4, 4]", f".expect {said}")
    assert body(program)[-1] == expected


def test_what_only_a_round_knows_is_written_out() -> None:
    program = of(
        ".const K = 2, NAMES = [4, 5]",
        ".hbm x0 f32[4]",
        ".hbm x1 f32[4]",
        ".for k in 0..2",
        ".const half = (k - 1) / 2",
        ".expect x{k}[k] == half ** K",
        ".end",
    )
    assert body(program)[-2:] == [".expect  x0[0] == (-0.5) ** K", ".expect  x1[1] == 0.0 ** K"]
    round_trip(program)


# ---------------------------------------------------------------- lines


LOOP = """
.target trn2
.sbuf  t  f32[128, 16]
.sbuf  u  f32[128, 16]
.sem   s
@scalar
again:   Activation     t, u, op=copy, scale=2.0   $s >= 2   $s--
         CompareBranch  %r0, 0, op=greater, target=again
out:
@vector  Memset  u, 1.0   $s += 2   ; nasm: allow E0502 why
"""


def test_lines_are_in_columns_and_labels_before_them() -> None:
    assert text(nasm.assemble(LOOP)).splitlines()[7:] == [
        "@vector",
        "    Memset  u, 1.0  $s += 2  ; nasm: allow E0502 why",
        "",
        "@scalar",
        "again:",
        "    Activation     t, u, op=copy, scale=2.0  $s >= 2  $s--",
        "    CompareBranch  %r0, 0, op=greater, target=again",
        "out:",
    ]


def test_lines_are_in_an_order_that_is_given() -> None:
    program = nasm.assemble(LOOP)
    queues = [program.queue_name(n) for n in range(len(program.queues))]
    scalar, vector = queues.index("scalar"), queues.index("vector")
    printed = text(program, [(scalar, 0), (vector, 0), (scalar, 1)], remark=None)
    assert printed.splitlines()[7:] == [
        "again: @scalar",
        "@scalar  Activation     t, u, op=copy, scale=2.0  $s >= 2  $s--",
        f"@vector  Memset         u, 1.0{' ' * 29}$s += 2  ; nasm: allow E0502 why",
        "@scalar  CompareBranch  %r0, 0, op=greater, target=again",
        "out: @scalar",
    ]
    for had, got in zip(parts(program), parts(again(program, printed)), strict=True):
        assert got == had


@pytest.mark.parametrize("order", [[(1, 0)], [(2, 1), (2, 0), (1, 0)], [(9, 0)], [(1, 0), (1, 1)]])
def test_an_order_that_is_none_is_refused(order: list[tuple[int, int]]) -> None:
    with pytest.raises(Failure, match="order"):
        text(nasm.assemble(LOOP), order)


def test_a_comment_says_which_line_of_python_made_what_follows() -> None:
    b = nasm.Builder("trn2")
    t = b.sbuf("t", "f32", (128, 16))
    for _ in range(2):
        b.vector.Memset(t, 1.0)
    b.vector.TensorCopy(t, t)  # ; nasm: allow E0502 is nothing here
    program = b.finish()
    lines = [line.strip() for line in body(program)]
    assert [line for line in lines if not line.startswith(";")] == body_without(program)
    first, second = (line for line in lines if line.startswith("; "))
    assert first.startswith("; test_text.py:")
    assert first.endswith("b.vector.Memset(t, 1.0)")
    assert "b.vector.TensorCopy" in second
    assert again(program, text(program)).allows == []
    assert body(program, remark=lambda span: "here").count("    ; here") == 1


def body_without(program: nasm.Program) -> list[str]:
    return [line.strip() for line in body(program, remark=None)]


def test_the_least_value_of_a_semaphore_is_written_so_that_it_is_one() -> None:
    lines = [f"@vector Nop $s {change}" for change in ("+= -2147483648", "-= 3", "= -5", "+= 0")]
    program = of(".sem s", *lines, "@vector Nop $s >= -1 $s++ @read")
    assert [u and u.value for u in round_trip(program).updates] == [None, -(2**31), -3, -5, 0, 1]


def test_what_has_no_text_is_refused_by_its_name() -> None:
    program = of(".hbm x f32[4] input = zeros")
    program.tensors["x"].init = ("made", 3)
    with pytest.raises(Failure, match=r"E0840.*what x holds at the start"):
        text(program)
    b = nasm.Builder("trn2")
    t = b.sbuf("t", "f32", (128, 16))
    moved = t[22:25][nasm.Window(nasm.Reg(0), 1)].broadcast(3, 16)[
        0:1
    ]  # an axis of 1 that steps by 0
    b.vector.Memset(moved, 1.0)
    with pytest.raises(Failure, match=r"E0840.*this view of t"):
        text(b.finish())


def test_a_single_element_of_a_transposed_tensor_is_written_as_slices() -> None:
    program = of(
        ".hbm A f32[4, 8] input = iota",
        ".view corner = A.T[2:3, 1:2]",
        ".expect corner == 10",
        "@vector Nop",
    )
    assert ".expect  A[1:2, 2:3] == 10" in text(program)


def test_a_view_of_an_expectation_that_no_slices_say_has_a_line_of_its_own() -> None:
    program = nasm.assemble(
        ".target trn2\n.sbuf t f32[4, 8]\n.view bits = t.view(u32)\n.const N = 2\n"
        ".for k in 0..2\n.view part = t[:, k : +1].view(u32)\n.expect part == 0x3f800000\n.end\n"
        ".expect bits[:, N] == 0x3f800000\n@vector Memset t, 1.0\n"
    )
    printed = text(program)
    tail = printed[printed.index(".view") :].splitlines()
    assert tail == [
        ".view  part = t.view(uint32)[:, 0:1]",
        ".expect  part == 1065353216",
        ".view  part_2 = t.view(uint32)[:, 1:2]",
        ".expect  part_2 == 1065353216",
        ".view  bits = t.view(uint32)",
        ".expect  bits[:, N] == 1065353216",
    ]
    assert nasm.run(printed).ok
    assert text(nasm.assemble(printed)) == printed
