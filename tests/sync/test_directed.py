"""Small programs in sequential order, and just the waits that they need."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure

HEAD = """\
.target {target}
.hbm   A  f32[128, 64]  input = iota
.hbm   O  f32[128, 64]  inout = zeros
.sbuf  a  f32[128, 64]
.sbuf  b  f32[128, 64]
.sbuf  c  f32[128, 64]
"""


def waits(text: str, target: str = "trn2", **more: object) -> list[str]:
    """The waits of a program, each with what waits."""
    program = nasm.assemble(HEAD.format(target=target) + text, autosync=True, **more)  # type: ignore[arg-type]
    found = []
    for queue, lines in enumerate(program.queues):
        for pc in range(len(lines)):
            wait = program.waits[lines.waits[pc]]
            if wait is not None:
                row = program.instruction(queue, pc).row.name
                name = program.semaphore_name(wait.semaphore)
                found.append(f"{lines.engine} {row} ${name} {wait.op} {wait.value}")
    return found


def test_instructions_of_one_queue_need_no_wait() -> None:
    assert waits("@vector Memset a, 1\n@vector TensorCopy b, a\n@vector Memset a, 2") == []


def test_a_transfer_waits_for_its_own_queue() -> None:
    assert waits("@vector Memset a, 1\n@vector DmaCopy O, a") == [
        "vector DmaCopy $vector >= 1",
        "vector EventSemaphore $dma0 >= 16",
    ]


def test_what_an_engine_has_read_back_itself_needs_no_wait() -> None:
    # The copy starts when the tile is there, and the transfer starts after the copy.
    assert waits("@vector Memset a, 1\n@vector TensorCopy b, a\n@vector DmaCopy O, a") == [
        "vector EventSemaphore $dma0 >= 16"
    ]


def test_without_an_interlock_an_engine_waits_for_itself() -> None:
    text = "@vector Memset a, 1\n@vector TensorCopy b, a"
    assert waits(text, options={"ordering": "relaxed"}) == ["vector TensorCopy $vector >= 1"]


def test_a_register_that_is_read_says_that_what_was_before_it_is_done() -> None:
    text = """\
@vector TensorStore a[0:1, 0:1], %r0
@vector TensorLoad %r1, b[0:1, 0:1]
@vector TensorStore c[0:1, 0:1], %r1
@vector DmaCopy O[0:1, 0:1], a[0:1, 0:1]
"""
    assert waits(text) == ["vector EventSemaphore $dma0 >= 16"]


def test_sums_into_one_place_are_in_any_order_and_before_who_reads_them() -> None:
    text = """\
@vector Memset a, 0
@sync DmaCopy a, A, compute_op=add
@scalar DmaCopy a, A, compute_op=add
@gpsimd TensorCopy b, a
"""
    assert waits(text, "trn3") == [
        "scalar DmaCopy $vector >= 1",
        "gpsimd EventSemaphore $dma0 >= 16",
        "gpsimd TensorCopy $dma1 >= 16",
        "sync DmaCopy $vector >= 1",
    ]


def test_a_write_of_what_was_only_read_waits_for_the_reader() -> None:
    text = "@sync DmaCopy a, A\n@vector TensorCopy b, a\n@gpsimd Memset a, 0"
    assert waits(text) == ["vector TensorCopy $dma0 >= 16", "gpsimd Memset $vector >= 1"]


def test_an_address_in_a_register_reaches_all_that_it_may_hold() -> None:
    text = """\
@vector Memset a[:, 0:16], 1
@gpsimd Memset a[:, 48:64], 1
@scalar RegisterMove %r0, 0
@scalar TensorCopy b[:, 0:16], a[:, %r0 : +16]
"""
    assert waits(text) == ["scalar EventSemaphore $vector >= 1", "scalar TensorCopy $gpsimd >= 1"]


def test_a_transfer_waits_for_the_oldest_when_there_is_no_semaphore_left() -> None:
    taken = ", ".join(f"own{n}" for n in range(256 - 5 - 2))
    text = f".sem {taken}\n" + "".join(
        f"@sync DmaCopy a[:, {n}:{n + 1}], A[:, {n}:{n + 1}]\n" for n in range(4)
    )
    assert waits(text) == [
        "sync DmaCopy $dma0 >= 16",
        "sync DmaCopy $dma1 >= 16",
        "sync EventSemaphore $dma0 >= 32",
        "sync EventSemaphore $dma1 >= 32",
    ]


def test_a_core_without_semaphores_left_is_refused() -> None:
    taken = ", ".join(f"own{n}" for n in range(252))
    with pytest.raises(Failure) as failure:
        waits(f".sem {taken}\n@sync DmaCopy a, A")
    assert [p.code for p in failure.value.problems] == ["E0322"]


def test_names_that_are_taken_are_not_given_again() -> None:
    text = ".sbuf vector f32[128, 64]\n@vector Memset vector, 1\n@scalar TensorCopy a, vector"
    assert waits(text) == ["scalar TensorCopy $vector_2 >= 1"]


def test_values_are_those_of_the_lines_in_their_order() -> None:
    text = (
        HEAD.format(target="trn2")
        + """\
@sync   DmaCopy a, A
@vector TensorScalar b, a, op0=multiply, operand0=2
@gpsimd Memset a, 7
@sync   DmaCopy O, b
@scalar TensorCopy b, a
@sync   DmaCopy O[:, 0:32], b[:, 0:32]
"""
    )
    outputs = nasm.run(nasm.assemble(text, autosync=True)).outputs
    wanted = 2 * np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    wanted[:, :32] = 7
    np.testing.assert_array_equal(outputs["O"], wanted)
