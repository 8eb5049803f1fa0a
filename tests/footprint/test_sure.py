"""What an instruction reads, and what it writes for sure, by its operands alone."""

from __future__ import annotations

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.program.footprint.definite_accesses import definite_accesses

DECLARED = """\
.target {on}
.hbm A f32[128, 8] input = zeros
.hbm T i32[8, 1] input = zeros
.sbuf a f32[128, 8] = zeros
.sbuf b f32[128, 8] = zeros
.sbuf m u8[128, 8] = zeros
.sbuf t i32[8, 1] = zeros
.psum p f32[128, 8] = zeros
"""


def touched(line: str, on: str = "trn2") -> tuple[list[str], list[str]]:
    """The tensors of the last instruction of a text: those it may read, and surely writes."""
    program = Session.load(Source("sure.nasm", f"{DECLARED.format(on=on)}{line}\n")).program
    queue = next(q for q in program.queues if len(q))
    made = program.instructions[queue.instructions[-1]]
    reads, writes, _ = definite_accesses(made, queue.engine, program.generation)
    return sorted({v.tensor.name for v in reads}), sorted({v.tensor.name for v in writes})


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("@vector TensorCopy a, b", ["b"], ["a"]),
        ("@vector CopyPredicated a, b, m", ["b", "m"], []),
        ("@gpsimd DmaCopy a, A", ["A"], ["a"]),
        ("@gpsimd DmaCopy b[0:8], A.ap([[8, 8], [1, 8]], vector_offset=t)", ["A", "t"], ["b"]),
        (
            "@gpsimd DmaCopy b[0:8], A.ap([[8, 8], [1, 8]], vector_offset=t), oob_mode=skip",
            ["A", "t"],
            [],
        ),
        ("@gpsimd DmaCopy A.ap([[8, 8], [1, 8]], vector_offset=t), b[0:8]", ["b", "t"], []),
        ("@sync DmaCompute A, [a, b], reduce_op=add", ["a", "b"], ["A"]),
        ("@sync CoreBarrier a", ["a"], []),
        ("@sync SendRecv a, b, send_to_rank=1, recv_from_rank=1, pipe_id=0", ["b"], ["a"]),
        (
            "@tensor LoadStationary a[:, 0:8]\n@tensor MultiplyMoving p[0:8], b, accumulate=true",
            ["b", "p"],
            ["p"],
        ),
        ("@tensor LoadStationary a[:, 0:8]\n@tensor MultiplyMoving p[0:8], b", ["b"], ["p"]),
    ],
)
def test_what_is_read_and_what_is_written_whatever_the_run_decides(
    line: str, reads: list[str], writes: list[str]
) -> None:
    assert touched(line) == (reads, writes)


def test_what_is_added_when_it_lands_is_read() -> None:
    assert touched("@gpsimd DmaCopy a, A, compute_op=add", on="trn3") == (["A", "a"], [])
