"""A replay of a run as it was has its times; a queue that is free waits for what it needs."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.sim.conflicts import FINISHED, LANDED, OCCUPIED, POSTED, STARTED, Conflicts
from nasm.sim.history import History
from nasm.sim.recording import Recording
from nasm.sim.replay import Replay
from tests.parts import part
from tests.profile.whole import again
from tests.sim.random_runs import Run, drawn
from tests.test_toy_cores import SWAP
from tests.toy.target import TARGETS as TOY


@dataclass
class Recorded:
    """A session that has run, and what is needed to run it again."""

    session: Session
    history: History
    recording: Recording

    def again(self, free: str = "") -> Replay:
        """It again, with a queue in any order."""
        queues = self.session.machine.scheduler.queues
        index = next((q.index for q in queues if q.engine == free), -1)
        replay = Replay(self.history, self.recording, self.session.machine.scheduler, index)
        replay.run()
        return replay

    @property
    def total(self) -> int:
        return self.session.now


def recorded(text: str, **more: object) -> Recorded:
    session = Session.load(Source("program", text), **more)  # type: ignore[arg-type]
    history, recording = History(), Recording()
    session.machine.scheduler.observe(history)
    session.machine.scheduler.observe(recording)
    assert session.run(hashes=False).status is Status.FINISHED
    return Recorded(session, history, recording)


def finished(first: int, count: int) -> list[tuple[int, Run, History, Recording]]:
    """Random runs that come to an end."""
    found = []
    for seed in range(first, first + count):
        history, recording = History(), Recording()
        lines = drawn(random.Random(seed))
        run = Run(lines, history, recording, interlock=seed % 5 > 0)
        if not run.hung:
            found.append((seed, run, history, recording))
    return found


@pytest.mark.parametrize("first", part(range(0, 600, 100), 2))
def test_a_replay_of_a_random_run_has_every_start_of_it(first: int) -> None:
    runs = finished(first, 100)
    assert len(runs) > 5
    for _, run, history, recording in runs:
        again(history, recording, run.scheduler)


@pytest.mark.parametrize("direct", [False, True])
def test_so_does_one_of_cores_that_exchange_tiles(direct: bool) -> None:
    text = SWAP
    if direct:
        text = text.replace("Swap  y, x", "Swap y, x, true").replace(
            "Swap  q, p", "Swap q, p, true"
        )
    run = recorded(text, targets=TOY)
    replay = run.again()
    assert replay.starts == {n: run.history[n].start for n in run.recording.tasks}


@pytest.mark.parametrize("first", part(range(0, 400, 100), 1))
def test_a_free_queue_keeps_what_ties_it_to_others_and_everybody_else_the_order(first: int) -> None:
    for seed, run, history, recording in finished(first, 100):
        for free in range(len(run.scheduler.queues)):
            replay = Replay(history, recording, run.scheduler, free)
            replay.run()
            starts = replay.starts
            assert starts.keys() == recording.tasks.keys(), (seed, free)
            for queue, sequence in replay.sequences.items():
                if queue != free:
                    ordered = [starts[number] for number in sequence]
                    assert ordered == sorted(ordered), (seed, free)
            for tie in Conflicts(history, recording, free, run.scheduler.delay).ties():
                now, what = starts[tie.record], tie.what
                if tie.kind == STARTED:
                    assert starts[what] <= now, (seed, free, tie)  # type: ignore[index]
                elif tie.kind in (OCCUPIED, FINISHED):
                    row = history[what]  # type: ignore[index]
                    length = (row.until if tie.kind == OCCUPIED else row.own) - row.start
                    begun = starts[what]  # type: ignore[index]
                    assert begun + length + tie.delay <= now, (seed, free, tie)
                else:
                    assert tie.kind in (LANDED, POSTED)


STORED = """\
.target trn2
.hbm X f32[128, 2048] input = iota
.hbm Y f32[128, 2048] output
.sbuf a f32[128, 512]
.sbuf b f32[128, 512]
.sbuf r f32[128, 512]
.sbuf s f32[128, 512]
.sem loaded, halved, stored
{first}
@vector Reciprocal r, a   $loaded >= 16   $halved++
@vector Reciprocal s, b   $loaded >= 32   $halved++
"""
LOADS = """\
@sync DmaCopy a, X[:, 0:512] $loaded += 16
{between}
@sync DmaCopy b, X[:, 512:1024] $loaded += 16
{behind}
"""
STORE = "@sync DmaCopy Y[:, 0:512], r $halved >= 1 $stored += 16"
LAST = "@sync DmaCopy Y[:, 512:1024], s $halved >= 2 $stored += 16"


def test_a_store_that_holds_back_a_load_is_passed_by_it() -> None:
    held = recorded(STORED.format(first=LOADS.format(between=STORE, behind=LAST)))
    moved = recorded(STORED.format(first=LOADS.format(between="", behind=f"{STORE}\n{LAST}")))
    assert held.total > moved.total
    assert held.again().run() == held.total
    assert held.again("sync").scheduler.now == moved.total
    assert held.again("vector").scheduler.now == held.total


def test_a_load_that_overwrites_what_is_stored_waits_for_it_though_it_does_not_say_so() -> None:
    # the last load brings back what the store took away: it may not pass it
    text = """\
.target trn2
.hbm X f32[128, 512] input = iota
.hbm Y f32[128, 512] output
.sbuf a f32[128, 512]
.sem loaded, doubled, stored
@sync DmaCopy a, X $loaded += 16
@sync DmaCopy Y, a $doubled >= 1 $stored += 16
@sync EventSemaphore $stored >= 16
@sync DmaCopy a, X $loaded += 16
@vector TensorTensor a, a, a, op=add $loaded >= 16 $doubled++
"""
    run = recorded(text)
    replay = run.again("sync")
    sync = replay.sequences[4]
    assert [run.history[n].pc for n in sync] == [0, 1, 2, 3]
    assert [replay.starts[n] for n in sync] == [run.history[n].start for n in sync]


def test_registers_that_are_written_again_hold_nothing_back() -> None:
    text = """\
.target trn2
.hbm X f32[128, 512] input = iota
.hbm Y f32[128, 512] output
.sbuf a f32[128, 512]
.sem loaded, never
@sync RegisterMove %r1, 0
@sync DmaCopy a[:, %r1 : +256], X[:, 0:256] $loaded += 16
@sync DmaCopy Y[:, 0:256], a[:, %r1 : +256] $loaded >= 16
@sync RegisterMove %r1, 256
@sync DmaCopy a[:, %r1 : +256], X[:, 256:512] $loaded += 16
"""
    run = recorded(text)
    replay = run.again("sync")
    first, _, _, other, last = (replay.starts[n] for n in replay.sequences[4])
    assert other < run.history[replay.sequences[4][2]].start
    assert first <= other < last
    assert replay.scheduler.now < run.total
