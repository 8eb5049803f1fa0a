"""Going back: the machine is as it was in every field, and what follows is what followed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.sim.queues import Queue
from tests.machine.everything import differences, everything
from tests.parts import part
from tests.tables import each
from tests.tensix.noc.test_packets import HEAD as TILES
from tests.tensix.noc.test_packets import STEPPED
from tests.test_toy_cores import SWAP
from tests.toy.target import TARGETS as TOY

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "programs").glob("*.nasm"))

STOCHASTIC = """\
.target trn2
.hbm X f32[128, 64] input = random(seed=1)
.sbuf x f32[128, 64]
.sbuf y bf16[128, 64]
.sem loaded
@sync DmaCopy x, X $loaded += 16
@vector EventSemaphore $loaded >= 16
.for i in 0..20
@vector TensorScalar y, x, op0=multiply, operand0=1.5
@vector Rng x.view(u32)
.end
"""

SHARED = """\
.target trn1
.hbm X f32[128, 64] input = random(seed=1)
.sbuf a f32[128, 64] @ 0:0
.sbuf b u8[128, 256] @ 0:0
.sbuf c f32[128, 32]
.psum p f32[128, 64]
.sem s
@sync DmaCopy a[0:64], X[0:64] $s += 16
@sync DmaCopy a[64:128], X[64:128] $s += 16
@vector EventSemaphore $s >= 32
@vector TensorCopy c, a[:, 0:32]
@vector MatchValueLoad a[:, 0:8]
@vector Memset b[:, 8:64], 7
@vector TensorScalar c, c, op0=multiply, operand0=2.0
@vector Memset p, 1.0
@tensor Nop $s -= 1
@gpsimd Memset c[:, 0:5], 0.0
"""

TURNS = """\
.target trn3
.hbm X f32[128, 512] input = random(seed=1)
.hbm Y bf16[40, 64] input = random(seed=2)
.sbuf x f32[128, 512]
.sbuf y bf16[40, 64]
.sbuf z f32[128, 512]
.sem a, b, c
.for i in 0..4
@sync DmaCopy x, X, queue=1, priority=2   $a += 16
@sync DmaCopy z, X                        $a += 16
@gpsimd DmaCopy y, Y, queue=2, priority=1 $b += 16
@gpsimd DmaCopy y[0:9], Y[0:9], queue=3   $b += 16
@vector DmaCopy X[0:20], x[100:120]       $c += 16
.end
@tensor EventSemaphore $c == 7
.core 1
.sbuf u f32[128, 512]
@sync DmaCopy u, X
@sync DmaCopy u[3:30], X[3:30], queue=4
"""


DIRECT = SWAP.replace("Swap  y, x", "Swap y, x, true").replace("Swap  q, p", "Swap q, p, true")
OWN: dict[str, Callable[[], Session]] = {
    "stochastic": lambda: Session(STOCHASTIC, options={"rounding": "stochastic"}),
    "shared": lambda: Session(SHARED),
    "turns": lambda: Session(TURNS),
    "channels": lambda: Session.load(Source("toy.nasm", SWAP), targets=TOY),
    "cores": lambda: Session(ROOT / "programs" / "tensix" / "rv_push.nasm"),
    "direct": lambda: Session.load(Source("toy.nasm", DIRECT), targets=TOY),
    "packets": lambda: Session(TILES + STEPPED),
}


def session_of(name: str) -> Session:
    """Of one of those, or of a program."""
    return OWN[name]() if name in OWN else Session(ROOT / "programs" / f"{name}.nasm")


def went(session: Session) -> object:
    """How a run ended."""
    report = session.run()
    found = [(p.code, p.message) for p in (*report.hazards, *report.warnings, *report.problems)]
    return report.status, report.ticks, report.trace_hash, report.memory_hash, found


def events(session: Session) -> int:
    """How many events its run has."""
    count = 0
    while done := session.machine.run(50):
        count += done
    session.restart()
    return count


@each("name", [*part([path.stem for path in PROGRAMS], 2), *OWN])
def test_after_going_back_every_field_is_as_it_was_and_the_run_goes_as_it_went(name: str) -> None:
    session, chance = session_of(name), random.Random(name)
    session.machine.prepare()
    ended = went(session)
    session.restart()
    total = events(session)
    for _ in part(range(4), 2):
        where = chance.randrange(total + 1)
        session.restart()
        session.machine.run(where // 2)
        early, then = session.checkpoint(), everything(session.machine)
        session.machine.run(where - where // 2)
        late, now = session.checkpoint(), everything(session.machine)
        session.machine.run(chance.randrange(1, total + 2))
        session.back_to(late)
        assert differences(now, everything(session.machine)) == []
        session.machine.run(chance.randrange(1, total + 2))
        session.back_to(early)
        assert differences(then, everything(session.machine)) == []
        assert went(session) == ended
    session.restart()


@pytest.mark.parametrize(
    "field", ["busy", "pc", "head", "last_finish", "count", "reached", "behind"]
)
def test_a_field_that_nothing_saves_is_found(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tuple(name for name in Queue.CHANGES if name != field)
    session = Session(STOCHASTIC)
    monkeypatch.setattr(Queue, "CHANGES", kept)
    session.machine.run(12)
    checkpoint, then = session.checkpoint(), everything(session.machine)
    queues = session.machine.scheduler.queues
    values = [getattr(queue, field) for queue in queues]
    while [getattr(queue, field) for queue in queues] == values:
        assert session.machine.run(1)
    session.back_to(checkpoint)
    assert any(field in d or "Queue" in d for d in differences(then, everything(session.machine)))


def test_a_counter_in_a_closure_is_found() -> None:
    def counting() -> object:
        left = 3

        def land() -> int:
            nonlocal left
            left -= 1
            return left

        return land

    land = counting()
    before = everything(land)
    land()  # type: ignore[operator]
    assert differences(before, everything(land))


def test_a_checkpoint_that_a_step_back_went_past_is_gone() -> None:
    session = Session(STOCHASTIC)
    first = session.checkpoint()
    session.step()
    second = session.checkpoint()
    assert second.moment > first.moment
    session.back_to(first)
    session.back_to(first)
    with pytest.raises(ValueError, match="no longer, a checkpoint of this session"):
        session.back_to(second)
    with pytest.raises(ValueError, match="no longer, a checkpoint of this session"):
        Session(STOCHASTIC).back_to(first)


def test_a_restart_reads_no_file_again(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32).reshape(1, 8))
    program = tmp_path / "p.nasm"
    program.write_text(
        '.target trn1\n.hbm X f32[1, 8] input = "x.npy"\n.hbm Y f32[1, 8] output\n.sem s\n'
        "@sync DmaCopy Y, X $s += 16\n@sync EventSemaphore $s >= 16\n.expect Y == X\n"
    )
    session = nasm.Session(program)
    first = session.run()
    (tmp_path / "x.npy").unlink()
    session.restart()
    assert np.isnan(session.read("Y")).all()
    assert session.run() == first


def test_what_a_caller_does_to_an_input_later_changes_nothing() -> None:
    given = np.ones((128, 64), np.float32)
    session = Session(STOCHASTIC, {"X": given})
    first = session.run().memory_hash
    given[...] = 2
    session.restart()
    assert session.run().memory_hash == first
