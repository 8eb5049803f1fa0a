"""Texts in sequential order with moments written into them: programs of ours, and random ones."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nasm
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.editing.moments import with_moments
from nasm.language.printing import text as printed
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program
from nasm.sync.sequential_text import autosync, in_sequence
from nasm.targets import TARGETS
from tests.parts import examples
from tests.sync.cases import Case, cases
from tests.sync.judged import Judged
from tests.sync.oracle import Oracle
from tests.sync.test_texts import SEQUENTIAL, read

ORDER = {"E0502", "E0514", "E0540", "E0541", "E0520"}
PRINTED = ("transformer_block",)
"""Programs that call macros: they are printed line by line first."""

HEAD = """\
.target trn2
.const N = 6
.hbm   A  f32[N, 128, 64]  input = iota
.hbm   B  f32[128, 64]     input = iota
.hbm   O  f32[N, 128, 64]  inout = zeros
.sbuf  b  f32[128, 64]
.for n in 0..2
.sbuf  in{n}   f32[128, 64]
.sbuf  out{n}  f32[128, 64]
.end
"""


def moments(source: Source, strip: bool = False) -> str | None:
    """The text with moments, or none."""
    found: list[str | None] = []

    def rewrite(builder: ProgramBuilder) -> None:
        lines = in_sequence(builder, strip)
        found.append(with_moments(source, builder, lines, strip, source.text))
        builder.clear()

    assemble(source, TARGETS, rewrite=rewrite)
    return found[0]


def body(text: str) -> list[str]:
    """The lines that moments were written into, without what stands above them."""
    made = moments(Source("x.nasm", HEAD + text))
    assert made is not None
    assert made.startswith(HEAD)
    return made[len(HEAD) :].splitlines()


def outputs(session: nasm.Session) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    tensors = session.program.tensors.values()
    return {t.name: session.read(t.name) for t in tensors if t.role in ("output", "inout")}


def no_wait_too_many(program: Program) -> None:
    """Everything is in order, and without any wait something is not, but for what drains."""
    judged = Judged(program)
    assert judged.unordered() == ""
    for queue, pc in judged.waits():
        rest = (
            program.instruction(queue, n).row.name for n in range(pc, len(program.queues[queue]))
        )
        if set(rest) != {"EventSemaphore"}:
            assert judged.unordered(without=(queue, pc)) != "", f"{queue, pc} is not needed"


# -- programs of ours


@pytest.mark.turns(2)
@pytest.mark.parametrize("name", [name for name in SEQUENTIAL if name not in PRINTED])
def test_a_program_of_ours_with_other_moments_computes_the_same_and_is_not_slower(
    name: str,
) -> None:
    source = read(name)
    made = moments(source, strip=True)
    assert made is not None
    assert "$" not in "".join(line.split(";")[0] for line in made.splitlines())
    program = assemble(Source(source.name, made), TARGETS)
    plain = assemble(source, TARGETS, rewrite=partial(autosync, strip=True))
    (by_hand, before), (counted, _), (found, after) = (
        (session, session.run())
        for session in map(nasm.Session, (assemble(source, TARGETS), plain, program))
    )
    assert after.ok
    assert after.ticks <= 1.01 * before.ticks
    for name, wanted in outputs(by_hand).items():
        np.testing.assert_array_equal(found.read(name), wanted)
        np.testing.assert_array_equal(counted.read(name), wanted)
    if program.cores == 1:
        no_wait_too_many(program)


@pytest.mark.parametrize("name", PRINTED)
def test_a_text_that_calls_macros_is_to_be_printed_first(name: str) -> None:
    assert moments(read(name), strip=True) is None


# -- what is written


def test_buffers_of_a_loop_come_out_as_a_person_writes_them() -> None:
    text = """\
@sync    DmaCopy  b, B
.for r in 0..N
.const i = r % 2
@sync    DmaCopy  in{i}, A[r]
@scalar  Activation  out{i}, in{i}, op=relu
@vector  TensorTensor  out{i}, out{i}, b, op=add   ; with b
@gpsimd  DmaCopy  O[r], out{i}
.end
"""
    assert body(text) == [
        "@sync    DmaCopy  b, B  post b_loaded",
        ".for r in 0..N",
        ".const i = r % 2",
        "@sync    DmaCopy  in{i}, A[r]  after in_free[r - 2]  post in_loaded[r]",
        "@scalar  Activation  out{i}, in{i}, op=relu  after in_loaded[r], out_free[r - 2]"
        "  post out_ready[r]  post in_free[r]",
        "@vector  TensorTensor  out{i}, out{i}, b, op=add  after b_loaded, out_ready[r]"
        "  post out_ready_2[r]   ; with b",
        "@gpsimd  DmaCopy  O[r], out{i}  after out_ready_2[r]  post out_free[r]",
        ".end",
        "@gpsimd  .drain",
    ]


def test_who_only_reads_says_so_when_it_has_read() -> None:
    text = """\
.for r in 0..N
@gpsimd  DmaCopy  in{r % 2}, A[r]
@vector  TensorTensor  b, in{r % 2}, in{r % 2}, op=add
.end
"""
    assert body(text)[1:3] == [
        "@gpsimd  DmaCopy  in{r % 2}, A[r]  after in_free[r - 2]  post in_loaded[r]",
        "@vector  TensorTensor  b, in{r % 2}, in{r % 2}, op=add  after in_loaded[r]"
        "  post in_free[r] @read",
    ]


def test_the_last_round_and_all_rounds_are_said_by_the_bound() -> None:
    text = """\
.for r in 0..2
@sync    DmaCopy  in{r}, A[r]
.end
@vector  TensorTensor  b, in0, in1, op=add
.for r in 0..N
@gpsimd  TensorCopy  out0[:, r*8 : +8], b[:, 0:8]
.end
@scalar  Activation  out1, out0, op=copy
"""
    made = body(text)
    assert (
        made[3] == "@vector  TensorTensor  b, in0, in1, op=add  after in_loaded[0..2]  post b_ready"
    )
    assert (
        made[5]
        == "@gpsimd  TensorCopy  out0[:, r*8 : +8], b[:, 0:8]  after b_ready  post out_ready[r]"
    )
    assert made[7] == "@scalar  Activation  out1, out0, op=copy  after out_ready[N - 1]"


def test_moments_of_lines_that_are_called_the_same_are_numbered() -> None:
    text = """\
@sync    DmaCopy  b, B
@scalar  Activation  b, b, op=relu
@vector  TensorCopy  b, b
@gpsimd  TensorCopy  b, b
"""
    assert body(text) == [
        "@sync    DmaCopy  b, B  post b_loaded",
        "@scalar  Activation  b, b, op=relu  after b_loaded  post b_ready[0]",
        "@vector  TensorCopy  b, b  after b_ready[0]  post b_ready[1]",
        "@gpsimd  TensorCopy  b, b  after b_ready[1]",
    ]


def test_rounds_that_are_not_alike_are_written_line_by_line() -> None:
    text = """\
.for n in 0..2
@vector  Memset  out{n}, 1
@vector  Memset  in{n}, 1
.end
.for r in 0..24
@sync    DmaCopy  in{r * r * r % 5 % 2}, A[r % 6]
@scalar  Activation  out{r * r % 7 % 2}, in{r * r // 3 % 2}, op=relu
.end
"""
    assert moments(Source("x.nasm", HEAD + text)) is None


def test_a_block_of_which_nothing_is_left_goes() -> None:
    text = """\
.for k in 0..2
.sem s{k}
.end
@sync DmaCopy b, B $s0 += 16
.for k in 0..1
@vector EventSemaphore $s0 >= 16
.end
@vector TensorScalar b, b, op0=add, operand0=1
"""
    made = moments(Source("x.nasm", HEAD + text), strip=True)
    assert made is not None
    assert made[len(HEAD) :].splitlines() == [
        "@sync DmaCopy b, B  post b_loaded",
        "@vector TensorScalar b, b, op0=add, operand0=1  after b_loaded",
    ]


# -- random ones


@settings(max_examples=examples(150, 10), deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_a_random_program_keeps_its_meaning_with_no_wait_too_many(case: Case) -> None:
    builder, sequence = case.builder()
    for line in _lines(case, sequence):
        builder.append(line.queue, (line.instruction, 0, 0), 0)
    order = list(builder.order())
    source = Source("x.nasm", printed(builder.finish(), order))
    text = moments(source)
    assert text is not None
    program = nasm.assemble(text)

    oracle = Oracle(case, program)
    assert oracle.unordered() == ""
    for queue, pc in oracle.waits():
        if any(oracle.queues[queue][pc:]):
            assert oracle.unordered(without=(queue, pc)) != "", f"{queue, pc} is not needed"
    session = nasm.Session(program, inputs=case.inputs())
    report = session.run()
    assert not ORDER & {p.code for p in (*report.hazards, *report.warnings)}
    for name, wanted in case.meant().items():
        np.testing.assert_array_equal(session.read(name), wanted, err_msg=name)


def _lines(case: Case, sequence: object) -> list:  # type: ignore[type-arg]
    cores = [iter(lines) for lines in sequence.cores]  # type: ignore[attr-defined]
    return [next(cores[call.core]) for call in case.calls]


@st.composite
def loops(draw: st.DrawFn) -> str:
    """A text with a loop or two within each other, whose lines touch buffers in turn."""
    names = ["in{(%s) %% 2}", "out{(%s) %% 2}", "b"]

    def line(index: str) -> str:
        at = draw(st.sampled_from([index, f"{index} + 1", "0"]))
        one, two = (draw(st.sampled_from(names)) for _ in range(2))
        one, two = (name % at if "%" in name else name for name in (one, two))
        kind = draw(st.sampled_from(["load", "store", "copy", "copy", "add"]))
        transfers = draw(st.sampled_from(["sync", "gpsimd"]))
        if kind == "load":
            return f"@{transfers} DmaCopy {one}, A[({index}) % 6]"
        if kind == "store":
            return f"@{transfers} DmaCopy O[({index}) % 6], {one}"
        engine = draw(st.sampled_from(["vector", "gpsimd", "scalar"]))
        if kind == "add":
            return f"@vector TensorTensor {one}, {one}, {two}, op=add"
        if one == two:
            return f"@{engine} TensorCopy {one}, {one}" if engine != "scalar" else "@vector Nop"
        return f"@{engine} TensorCopy {one}, {two}"

    text = "@vector Memset b, 1\n.for n in 0..2\n"
    text += "@vector Memset in{n}, 2\n@vector Memset out{n}, 3\n.end\n"
    for _ in range(draw(st.integers(1, 2))):
        nested = draw(st.booleans())
        text += ".for r in 0..3\n"
        for _ in range(draw(st.integers(1, 3))):
            text += line("r") + "\n"
        if nested:
            text += ".for k in 0..2\n"
            for _ in range(draw(st.integers(1, 2))):
                text += line(draw(st.sampled_from(["k", "r + k", "2*r + k"]))) + "\n"
            text += ".end\n"
        text += ".end\n"
    return text


@settings(max_examples=examples(30, 5), deadline=None, suppress_health_check=list(HealthCheck))
@given(loops())
def test_a_random_loop_keeps_its_meaning_with_no_wait_too_many(text: str) -> None:
    source = Source("x.nasm", HEAD + text)
    made = moments(source)
    if made is None:
        return
    program = nasm.assemble(made)
    no_wait_too_many(program)
    meant, found = (nasm.Session(p) for p in (assemble(source, TARGETS, rewrite=autosync), program))
    report = meant.run(), found.run()
    assert not ORDER & {p.code for p in (*report[1].hazards, *report[1].warnings)}
    for name, wanted in outputs(meant).items():
        np.testing.assert_array_equal(found.read(name), wanted)
