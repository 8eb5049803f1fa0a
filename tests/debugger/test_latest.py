"""When tensors were written last: against a trace of the same run, and against single elements."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.source import Source
from nasm.debugger.origins.last_writes import Latest
from nasm.debugger.session import Session
from nasm.isa.effects import Rendezvous, Transfer
from nasm.machine.writers import written
from tests.parts import part

PROGRAMS = sorted(Path("programs").glob("*.nasm"))


def of(session: Session, events: int | None = None) -> Latest:
    found = session.why.latest(events)
    assert found is not None
    return found


@pytest.mark.parametrize("path", part(PROGRAMS, 5), ids=lambda p: p.stem)
def test_every_last_write_is_the_last_of_the_trace(path: Path) -> None:
    """By the instructions that name a tensor; of transfers, when their last shares landed.

    What cores exchange is left to the next test.
    """
    session = Session(str(path), trace=True, keep=1 << 20, values=False)
    session.run(hashes=False)
    program, ends, exchanged = session.program, dict[str, int](), set[str]()
    done = [(queue, pc, end, True) for _, queue, pc, _, _, end in session.trace.instructions]
    done += [
        (queue, pc, end, False)
        for _, _, _, queue, pc, _, _, _, end, size, _ in session.trace.jobs
        if size
    ]
    for queue, pc, end, computed in done:
        instruction = program.instruction(queue, pc)
        if instruction.row.effect is Rendezvous:  # the bytes appear before it completes
            exchanged |= {view.tensor.name for view in written(instruction)}
        if computed == (instruction.row.effect is not Transfer):
            for view in written(instruction):
                ends[view.tensor.name] = max(ends.get(view.tensor.name, 0), end)
    found = of(session)
    apart = {name for name in program.tensors if not shares(session, name)} - exchanged
    assert {n: w.tick for n, w in found.writes.items() if n in apart} == {
        name: end for name, end in ends.items() if name in apart
    }
    assert found.back == 0


def shares(session: Session, name: str) -> bool:
    """Whether a tensor has bytes that another has, too."""
    region = session.machine.addresses.region
    areas = [region(session.view(other)).area for other in session.program.tensors]
    return areas.count(region(session.view(name)).area) > 1


@pytest.mark.parametrize("name", part(["matmul_k", "softmax", "countdown", "ring"], 1))
@pytest.mark.parametrize("piece", part([3, 5, 9, 10], 1))
def test_it_agrees_with_the_search_for_elements(name: str, piece: int) -> None:
    session = Session(f"programs/{name}.nasm")
    session.run(hashes=False)
    total = session.now // session.program.generation.base.cycle
    session.goto(str(total * piece // 10))
    moment, found = session.moment, of(session)
    assert session.moment == moment
    for tensor in session.program.tensors:
        one = session.last_write(tensor)
        assert (one is None) == (tensor not in found.writes)
        if one is not None:
            assert found.writes[tensor].position == one.position


def test_a_bank_accumulates_since_the_first_of_its_matmuls() -> None:
    """2.328 µs and 2.930 µs, as the debugger's page shows them complete: 5,600 ticks are a µs."""
    session = Session("programs/matmul_k.nasm")
    session.advance(4_900)
    acc = of(session).writes["acc"]
    assert (acc.since, acc.tick) == (13_034, 16_408)
    assert str(acc.by) == "tensor pc 3, line 25"


def test_what_was_done_by_hand_is_a_write() -> None:
    session = Session("programs/matmul.nasm")
    session.advance(2_000)
    session.set("c[0]", 1.5)
    assert str(of(session).writes["c"].by) == "a change by hand"
    assert of(session).writes["c"].tick == session.now
    session.set("a", 0)
    session.run()
    assert of(session).writes["c"].by.line == 19
    assert str(of(session).writes["a"].by) == "a change by hand"
    session.goto("start")
    assert of(session).writes == {}


def test_tensors_that_share_bytes_are_written_together() -> None:
    text = """.target trn1
.sbuf a f32[128, 8] @ 0:0
.sbuf b f32[128, 4] @ 0:0
.sbuf z f32[128, 4] @ 0:16
@vector Memset a[:, 4:8], 1.0
"""
    session = Session(Source("shared.nasm", text))
    session.run()
    assert set(of(session).writes) == {"a", "z"}


@pytest.mark.parametrize("events", [1, 12, 30, 75, 500])
def test_no_more_is_done_again_than_the_bound_allows_wherever_checkpoints_are(
    events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any, with those that seconds of computing make, and with one after each event."""
    answers = []
    for every in (None, 3600.0, 0.0):
        if every is not None:
            monkeypatch.setattr("nasm.debugger.moving.past.EVERY", every)
            monkeypatch.setattr("nasm.debugger.moving.past.SHARE", 0)
        session = Session("programs/matmul_k.nasm", values=False)
        while not session.over:
            session.event()
        answers.append(of(session, events))
        assert (len(session.checkpoints) > 10) == (every == 0.0)
        assert session.over
    found, position = answers[0], session.moment.position
    assert answers == [found] * 3
    every_write = of(session).writes
    late = {n: wrote for n, wrote in every_write.items() if wrote.position > position - events}
    assert {n: (w.position, w.by) for n, w in found.writes.items()} == {
        n: (w.position, w.by) for n, w in late.items()
    }
    for name, wrote in found.writes.items():
        assert wrote.since == (wrote.since and late[name].since)
    assert found.back > 0 if len(late) < len(every_write) else events > 70


def test_what_was_added_to_by_hand_accumulates_since_then_without_checkpoints() -> None:
    session = Session("programs/matmul_k.nasm")
    session.advance(4_000)
    session.set("acc", 1)
    by_hand = session.now
    session.advance(2_000)
    before = of(session)
    for point in list(session.checkpoints[1:]):
        session.why.run.discard(point)
    assert before.writes["acc"].tick > by_hand == before.writes["acc"].since
    assert of(session) == before


def test_a_transfer_that_has_landed_nothing_is_not_looked_for() -> None:
    session = Session("programs/matmul.nasm")
    session.step(count=2)
    assert session.transfers()
    assert of(session).writes == {}
