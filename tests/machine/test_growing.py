"""A machine that has grown: every field of what came later is saved, and goes back, too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nasm.base import host_memory
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from tests.machine.everything import differences, everything
from tests.parts import part

ROOT = Path(__file__).parents[2]

LINES = (
    "@vector Memset first, 2",
    "@vector TensorScalar first, first, op0=add, operand0=3.0",
    "@gpsimd Memset first[0:16], 1.0",
    "@scalar Nop $counted++",
    "@tensor Nop $counted >= 1",
    "@tensor Nop $counted -= 1",
    "@sync DmaCopy first[0:16], first[16:32] $counted += 16",
)


@pytest.mark.parametrize("name", part(["matmul", "softmax", "countdown", "histogram"], 1))
def test_every_field_is_as_it_was_after_going_back_over_what_was_typed(name: str) -> None:
    chance = random.Random(name)
    session = Session(source_of(ROOT / f"programs/{name}.nasm"), keep=0)
    start = session.checkpoint()
    session.execute(".sbuf first f32[64, 16]\n.sem counted")
    session.run()
    for line in LINES:  # from now on it grows no more, and nothing happens for the first time
        session.execute(line)
    session.run()
    session.back_to(start)
    session.past.changes.clear()
    assert not session.known("first").any()
    for _ in range(12):
        session.step(count=chance.randrange(3))
        moment, changes = session.checkpoint(), list(session.past.changes)
        then = everything(session.machine)
        for _ in range(chance.randrange(1, 4)):
            session.execute(chance.choice(LINES))
        session.step(count=chance.randrange(3))
        session.back_to(moment)
        session.past.changes[:] = changes
        assert differences(then, everything(session.machine)) == []
        session.execute(chance.choice(LINES))


def test_what_is_added_where_a_core_has_byte_addresses_is_in_its_memory() -> None:
    session = Session(Source("typed.nasm", ".target wormhole\n.l1 a u32[4] @ 0x4000 = iota\n"))
    before = session.machine.state.by_tensor[session.program.tensors["a"].index]
    session.execute(".l1 more u32[4] @ 0x5000 = iota")
    assert session.read("more").tolist() == [0, 1, 2, 3]
    added = session.program.tensors["more"].index
    assert session.machine.state.by_tensor[added] is before


def test_a_tensor_for_which_the_computer_has_no_room_is_refused_where_it_is_declared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(Source("typed.nasm", ".target trn2\n.sbuf a f32[4, 4]\n"))
    monkeypatch.setattr(host_memory, "available", lambda: (1 << 20, "this test"))
    with pytest.raises(Failure) as failure:
        session.execute("@vector Nop\n.hbm more f32[1024, 1024]")
    (problem,) = failure.value.problems
    assert problem.span is not None
    assert problem.span.line == 2
    assert "more" not in session.program.tensors
    session.execute(".hbm less f32[16, 16]")
