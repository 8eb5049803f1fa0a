"""Texts in sequential order: programs of ours without their waits, and what is refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import RunReport
from nasm.program.program import Program
from nasm.sync.sequential_text import autosync
from nasm.targets import TARGETS
from tests.parts import part

PROGRAMS = Path(__file__).parents[2] / "programs"
SEQUENTIAL = (
    "dma_trigger", "double_row", "layernorm", "matmul", "matmul_k", "mx", "pair_softmax",
    "softmax", "transformer_block", "transpose",
)  # fmt: skip
"""Programs of ours that are written call by call."""

HEAD = """\
.target trn2
.hbm   A  f32[128, 64]  input = iota
.hbm   O  f32[128, 64]  inout = zeros
.sbuf  a  f32[128, 64]
.sbuf  b  f32[128, 64]
.sem   s
"""


def read(name: str) -> Source:
    path = PROGRAMS / f"{name}.nasm"
    return Source(str(path), path.read_text(encoding="utf-8"))


def stripped(source: Source) -> Program:
    return assemble(source, TARGETS, rewrite=partial(autosync, strip=True))


def run(program: Program) -> tuple[Session, RunReport]:
    session = Session(program)
    return session, session.run()


def sequential(name: str) -> bool:
    try:
        stripped(read(name))
    except Failure:
        return False
    return True


def test_these_programs_are_written_call_by_call_and_the_others_are_not() -> None:
    found = [path.stem for path in sorted(PROGRAMS.glob("*.nasm")) if sequential(path.stem)]
    assert tuple(found) == SEQUENTIAL


@pytest.mark.parametrize("name", part(SEQUENTIAL, 5))
def test_a_program_of_ours_without_its_waits_computes_the_same_and_is_not_slower(name: str) -> None:
    by_hand, before = run(assemble(read(name), TARGETS))
    found, after = run(stripped(read(name)))

    assert after.ok
    assert {p.code for p in after.warnings} <= {p.code for p in before.warnings}
    assert after.ticks <= 1.05 * before.ticks
    for tensor in by_hand.program.tensors.values():
        if tensor.role in ("output", "inout"):
            np.testing.assert_array_equal(found.read(tensor.name), by_hand.read(tensor.name))


def refused(text: str, strip: bool = False) -> str:
    with pytest.raises(Failure) as failure:
        assemble(Source("x.nasm", HEAD + text), TARGETS, rewrite=partial(autosync, strip=strip))
    assert [p.code for p in failure.value.problems] == ["E0841"]
    return str(failure.value)


def test_a_read_of_what_only_a_later_line_writes_is_refused_with_both_places() -> None:
    said = refused("@sync DmaCopy O, b\n@sync DmaCopy a, A\n@vector TensorCopy b, a")
    assert "DmaCopy on sync reads b, which only lines below it write" in said
    assert "x.nasm:7:7" in said
    assert "x.nasm:9:9" in said


def test_a_wait_that_only_a_later_line_ends_is_refused_with_both_places() -> None:
    said = refused("@vector TensorCopy b, a $s >= 16\n@sync DmaCopy a, A $s += 16", strip=True)
    assert "waits for $s >= 16; after the lines above it is 0" in said
    assert "x.nasm:8:7" in said


def test_a_wait_for_what_a_line_between_has_cleared_is_refused() -> None:
    text = "@sync DmaCopy a, A $s += 16\n{}@vector TensorCopy b, a $s >= 16"
    said = refused(text.format("@sync EventSemaphoreRangeClear 0, 255\n"), strip=True)
    assert "waits for $s >= 16; after the lines above it is 0" in said
    for between in ("", "@sync EventSemaphoreRangeClear 200, 255\n"):
        program = Source("x.nasm", HEAD + text.format(between))
        assemble(program, TARGETS, rewrite=partial(autosync, strip=True))


def test_a_text_that_has_waits_is_refused_unless_they_are_left_out() -> None:
    text = "@sync DmaCopy a, A $s += 16\n@vector TensorCopy b, a $s >= 16"
    assert "--strip" in refused(text)
    program = assemble(
        Source("x.nasm", HEAD + text), TARGETS, rewrite=partial(autosync, strip=True)
    )
    assert list(program.semaphores) == ["dma0"]


def test_a_wait_for_what_the_other_core_updates_is_refused() -> None:
    with pytest.raises(Failure) as failure:
        stripped(read("ring"))
    assert "let a barrier order them" in str(failure.value)


def test_a_text_that_branches_is_refused() -> None:
    said = refused("@sync\n    Nop\nagain:\n    CompareBranch target=again")
    assert "CompareBranch on sync branches" in said
    assert "'.for'" in said


def test_of_a_loop_at_run_time_it_is_said_what_to_write_instead() -> None:
    for text in (".loop k in 0..2\n@sync DmaCopy a, A\n.end", "@sync .loop %r1 in 0..2\nNop\n.end"):
        said = refused(text)
        assert "the rounds of a '.loop' are made at run time" in said
        assert ".for k in 0..4" in said
        assert "CompareBranch" not in said


def test_a_read_of_what_nothing_writes_is_left_to_the_run() -> None:
    program = assemble(Source("x.nasm", HEAD + "@sync DmaCopy O, b"), TARGETS, rewrite=autosync)
    assert len(program) == 2
