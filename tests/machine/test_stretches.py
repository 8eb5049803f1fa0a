"""Stretches: many instructions of a run without values are one event, and nothing else differs.

The definition is the same run one by one, which the tests of the scheduler judge.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import nasm
from nasm.base.source import Source
from nasm.machine import Machine
from tests.parts import part

HEAD = """\
.target trn2
.hbm  h f32[128, 512]  input
.sbuf t f32[128, 512]
.sbuf u f32[128, 512]
.sem  a, b
"""


def ran(text: str, bursts: bool, **limits: int) -> Machine:
    machine = Machine(nasm.assemble(Source("stretches", HEAD + text)), values=False, checked=False)
    machine.run(1_000_000, **limits, bursts=bursts)
    return machine


def marks(machine: Machine) -> tuple[Any, ...]:
    """All that a stretch may not change: times, counts, what was waited for, the trace's hash."""
    scheduler, summary = machine.scheduler, machine.summary
    queues = [
        (q.pc, q.count, q.finished, q.last_finish, q.record, q.busy, q.times(scheduler.now))
        for q in scheduler.queues
    ]
    counts = [summary.completed(n).tolist() for n in range(len(queues))]
    resources = [(r.core, r.name, r.free_at, r.record) for r in scheduler.resources]
    clock = scheduler.now, scheduler.retired, scheduler.records, scheduler.flying
    return clock, queues, counts, resources, len(scheduler.heap), summary.digest()


def both(text: str, **limits: int) -> tuple[Machine, Machine]:
    return ran(text, False, **limits), ran(text, True, **limits)


def scale(at: int, wide: int = 8, of: str = "t", rest: str = "") -> str:
    tile = f"{of}[:, {at} : +{wide}]"
    return f"@vector TensorScalar {tile}, {tile}, op0=multiply, operand0=2.0 {rest}\n"


APART = "".join(scale(8 * (n % 50)) for n in range(400))


def test_many_instructions_are_one_event() -> None:
    alone, together = both(APART)
    assert marks(together) == marks(alone)
    assert together.scheduler.position * 20 < alone.scheduler.position


def test_an_instruction_that_reads_what_is_on_its_way_waits_for_it() -> None:
    chained = APART[: len(APART) // 2] + scale(0) * 40 + APART
    alone, together = both(chained)
    (vector,) = (q for q in together.scheduler.queues if q.engine == "vector")
    assert vector.times(together.scheduler.now)[1]["data", None] > 0
    assert marks(together) == marks(alone)
    assert together.scheduler.position * 2 < alone.scheduler.position


def test_a_wait_and_a_post_end_a_stretch() -> None:
    text = (
        "@gpsimd Memset u, 1.0  $a++\n"
        + APART
        + scale(0, rest="$a >= 1")
        + APART
        + scale(8, rest="$b++")
        + APART
        + "@gpsimd Memset u, 1.0  $b >= 1\n"
    )
    alone, together = both(text)
    assert marks(together) == marks(alone)
    assert together.scheduler.position * 10 < alone.scheduler.position


def test_an_address_in_a_register_is_known_to_nobody_in_advance() -> None:
    wide = "t[:, %i : +8]"
    line = f"@vector TensorScalar {wide}, {wide}, op0=multiply, operand0=2.0\n"
    loop = f"@vector\n.loop i in 0..40 step 8\n{line}{APART}.end\n"
    alone, together = both(loop.replace("%i", "i"))
    assert marks(together) == marks(alone)
    assert together.scheduler.position < alone.scheduler.position


@pytest.mark.parametrize("until", [0, 1, 819, 820, 821, 32_000, 64_001, 200_000])
def test_a_run_ends_at_its_last_tick(until: int) -> None:
    alone, together = both(APART, until=until)
    assert marks(together) == marks(alone)


@pytest.mark.parametrize("retire", [1, 31, 33, 100, 399, 400])
def test_a_run_ends_when_so_many_have_completed(retire: int) -> None:
    alone, together = both(APART, retire=retire)
    assert alone.scheduler.retired == together.scheduler.retired == retire
    for machine in (alone, together):
        machine.run(1_000_000)
    assert marks(together) == marks(alone)


def random_text(random: Random) -> str:
    """Stretches on two engines, of widths that differ, with what may end one here and there."""
    lines, posted = [], 0
    for _ in range(random.randrange(4, 12)):
        engine = random.choice(["vector", "vector", "scalar"])
        wide, step = random.choice([4, 8]), random.choice([1, 4, 8, 16])
        for n in range(random.randrange(1, 120)):
            at = n * step % (512 - wide)
            source = random.choice([at, at, at, max(0, at - 3 * step)])
            lines.append(
                f"@{engine} TensorScalar t[:, {at} : +{wide}], t[:, {source} : +{wide}], "
                "op0=multiply, operand0=2.0"
                if engine != "scalar"
                else f"@scalar Activation u[:, {at} : +{wide}], u[:, {source} : +{wide}], op=exp"
            )
        if random.random() < 0.3:
            lines[-1] += " $a++"
            posted += 1
        elif posted and random.random() < 0.3:
            lines[-1] += f" $a >= {random.randrange(1, posted + 1)}"
        elif random.random() < 0.2:
            lines.append("@sync DmaCopy t, h")
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("seed", part(range(200), 20))
def test_random_programs_come_to_the_same(seed: int) -> None:
    text = random_text(Random(seed))
    alone, together = both(text)
    assert marks(together) == marks(alone)
    assert together.scheduler.position <= alone.scheduler.position
