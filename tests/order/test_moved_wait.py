"""A wait of the printed loops of a matmul, moved to the next instruction: a hang, and no race.

A judge that is sound, and not complete, for counters that go down saw a race between a load of A
and LoadStationary. Of those two the queues are Tensor and Sync. Executed alone, without what they
wait for from others, they have every execution that the program has, and more; a walk through all
states of that finds them in order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

import nasm
from nasm.language.printing import text as printed
from nasm.order.skeleton import LANDS, STARTS, CounterChange, CounterWait, Event, Issue, Step
from nasm.program.program import Program
from tests.order.oracle import Walk

ROOT = Path(__file__).parents[2]
SHARES = 4
"""Of each transfer, in place of 16: so many are enough for shares of several to be mixed."""


SMALLEST = {"M": 256, "N": 1024, "K": 128}


def moved(sizes: dict[str, int | float] | None = None) -> Program:
    """The program with the wait for what the last store has left an instruction later."""
    source = (ROOT / "programs" / "matmul_loops.nasm").read_text(encoding="utf-8")
    small = nasm.assemble(source, defines=sizes)
    lines = printed(small).splitlines()
    vector = lines.index("@vector")
    inner = next(n for n in range(vector, len(lines)) if lines[n] == "loop3:")
    at = next(n for n in range(inner, len(lines)) if "$stored >= 16" in lines[n])
    assert "TensorCopy" in lines[at + 1]
    lines[at] = lines[at].replace("$stored >= 16", "")
    lines[at + 1] = re.sub(r"(\$copied\+\+)", r"$stored >= 16 \1", lines[at + 1])
    return nasm.assemble("\n".join(lines))


def test_it_hangs_under_another_timing_and_races_under_none() -> None:
    assert [problem.code for problem in nasm.check(moved()).errors] == ["E0544"]
    assert [problem.code for problem in nasm.check(moved(SMALLEST)).errors] == ["E0510"]


def test_a_walk_through_all_states_of_the_two_queues_finds_the_two_in_order() -> None:
    program = moved(SMALLEST)
    session = nasm.Session(program, values=False)
    session.run()
    assert session.ordering is not None
    steps = [taken.step for taken in session.ordering.judged().order.taken]
    names = [queue.engine for queue in program.queues]
    mine = [names.index("tensor"), names.index("sync")]
    counters = {n: program.semaphore_name(n) for n in range(len(program.semaphores))}
    kept = {n for n, name in counters.items() if name in ("a_in", "piece")}
    tensor, sync = skeleton = [_alone(steps, queue, at, kept) for at, queue in enumerate(mine)]
    walk = Walk(skeleton)
    loads = [step for step in sync if step.issue is not None]
    used = [s for s in tensor if s.wait is not None]
    over = [s for s in tensor if s.change is not None and s.change.value > 0]
    assert len(loads) == len(used) == len(over) == 2
    for load, use in zip(loads, used, strict=True):
        assert walk.before(Event(LANDS, 1, load.index), 0, use.index)
    assert walk.before(Event(STARTS, 0, over[0].index), 1, loads[1].index)
    assert not walk.before(Event(STARTS, 0, over[1].index), 1, loads[1].index)


def _alone(steps: list[Step], queue: int, number: int, kept: set[int]) -> list[Step]:
    """The steps of a queue that wait for, post to or take from some counters, numbered anew."""
    found, places = list[Step](), list[int]()
    for step in steps:
        if step.queue != queue:
            continue
        wait = step.wait if step.wait is not None and step.wait.counter in kept else None
        change = step.change if step.change is not None and step.change.counter in kept else None
        issue = step.issue if step.issue is not None and step.issue.counter in kept else None
        if wait is None and change is None and issue is None and step.after < 0:
            continue
        places.append(step.index)
        found.append(
            Step(
                number,
                len(found),
                None if wait is None else CounterWait(wait.counter, wait.op, _few(wait.value)),
                None if change is None else _fewer(change),
                None if issue is None else Issue(issue.counter, SHARES),
                bisect_right(places, step.after) - 1,
            )
        )
    return found


def _fewer(change: CounterChange) -> CounterChange:
    """A change of a counter by as many shares."""
    return change._replace(value=_few(change.value))


def _few(value: int) -> int:
    return value if abs(value) < 16 else value * SHARES // 16
